"""Models whose element types are changed after libraries were attached, by onnxruntime's own converter."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import opwright
import pytest
from onnxruntime.transformers.float16 import convert_float_to_float16
from opwright.bundle.format import Bundle, InputEntry
from opwright.link.apply import attach_libraries
from opwright.link.inspect import State, inspect
from opwright.link.metadata import LATE

from tests.link.conftest import Body, LibraryBuilder, parse, refused

CODES = {"float16": 10, "float": 1, "double": 11}
KIND = "(x) => (y) {{ k = Constant<value_float: float = {}>() d = Cast<to={}>(k) t = Mul(x, d) y = Add(t, d) }}"
UPCAST = "(x) => (y) { c = Cast<to=1>(x) t = Exp(c) s = Mul(t, c) y = Cast<to=10>(s) }"
MODEL = """<ir_version: {}, opset_import: ["": {}, "com.acme": 1]>
g (float[N] x) => (float[N] y) {{ t = Relu(x) y = com.acme.{}(t) }}"""


def of_types(text: str, names: Sequence[str] = ("float16", "float", "double"), **numbers: float) -> list[Body]:
    """A body for each type: its own code, and its own number."""
    return [
        Body(text.format(numbers.get(name, 2.0), CODES[name]), variant=(("T", name),), admits=(name,)) for name in names
    ]


def library() -> Bundle:
    made = LibraryBuilder()
    made.add("Kind", of_types(KIND))
    calls = [
        Body(f"(x) => (y) {{ t = com.acme.Kind:{name}(x) y = Neg(t) }}", variant=(("T", name),), admits=(name,))
        for name in CODES
    ]
    made.add("Outer", calls)
    made.add("Several", of_types(KIND, double=3.0))
    made.add("Other", of_types(KIND, float16=3.0))
    alone = "(x) => (y) { t = Exp(x) y = Mul(t, x) }"
    upcast = [
        Body(UPCAST, variant=(("T", "float16"),), admits=("float16",)),
        Body(alone, variant=(("T", "float"),), admits=("float",)),
    ]
    made.add("Upcast", upcast)
    made.add("Wide", of_types(KIND, ("float", "double")), types=("float", "double"))
    made.add("Single", "(x) => (y) { y = Neg(x) }", inputs=[InputEntry("x", "float")])
    branch = """(x) => (y) {{ b = Constant<value = bool {{1}}>() y = If(b) <
        then_branch = a () => (p) {{ k = Constant<value_float: float = {}>() d = Cast<to={}>(k) p = Mul(x, d) }},
        else_branch = c () => (q) {{ q = Neg(x) }}> }}"""
    made.add("Branch", of_types(branch))
    return made.bundle()


def model(name: str, ir_version: int = 10, opset: int = 18) -> onnx.ModelProto:
    return parse(MODEL.format(ir_version, opset, name))


def run(made: onnx.ModelProto) -> Any:
    session = ort.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    kind = np.float16 if session.get_inputs()[0].type == "tensor(float16)" else np.float32
    return session.run(None, {"x": np.array([1, 2, 0.5], kind)})[0]


def converted(made: onnx.ModelProto, **options: Any) -> onnx.ModelProto:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that float16 rounds
        return convert_float_to_float16(made, **options)


@pytest.mark.parametrize("keep_io_types", [False, True])
@pytest.mark.parametrize("name", ["Kind", "Outer", "Several", "Branch"])
def test_bodies_that_follow_their_types_are_converted(name: str, keep_io_types: bool) -> None:
    acme = library()
    plain = model(name)
    early, late = opwright.attach(plain, acme), opwright.attach(plain, acme, late_types=True)
    np.testing.assert_array_equal(run(early), run(late))
    with pytest.raises(Exception, match=r"inconsistent|Type Error|Inference error"):
        run(converted(early, keep_io_types=keep_io_types))
    found = run(converted(late, keep_io_types=keep_io_types))
    first = opwright.attach(converted(plain, keep_io_types=keep_io_types), acme)  # the body for float16
    np.testing.assert_array_equal(found, run(first))


def test_bodies_that_compute_in_float_do_for_float() -> None:
    """The body for float alone would be taken for float16 too, without a word, and round in between."""
    acme = library()
    plain = model("Upcast")
    late = opwright.attach(plain, acme, late_types=True)
    np.testing.assert_array_equal(run(late), run(opwright.attach(plain, acme)))
    np.testing.assert_array_equal(run(converted(late)), run(opwright.attach(converted(plain), acme)))
    (function,) = late.functions
    assert [node.op_type for node in function.node] == ["Cast", "Exp", "Mul", "CastLike"]


@pytest.mark.parametrize("late_types", [False, True])
def test_a_model_that_was_converted_is_detached_and_attached_again(late_types: bool) -> None:
    acme = library()
    for keep_io_types in (False, True):
        made = converted(opwright.attach(model("Kind"), acme, late_types=late_types), keep_io_types=keep_io_types)
        again = opwright.attach(opwright.detach(made), acme)
        assert [function.name for function in again.functions] == ["Kind__T_float16"]
        run(again)


@pytest.mark.parametrize("ir_version", [8, 10])
def test_what_is_attached(ir_version: int) -> None:
    """One function under the plain name, which says what it is made of; detaching gives the model back."""
    acme = library()
    plain = model("Outer", ir_version)
    done = attach_libraries(plain, [acme], late_types=True)
    assert [function.name for function in done.model.functions] == ["Kind", "Outer"]
    assert opwright.detach(done.model) == plain
    for given in ((), acme):
        reports = inspect(done.model, given)
        assert [(item.state, item.uncovered) for item in reports] == [
            (State.UNVERIFIED, "one body in the place of 3, one for each element type")
        ] * 2
    again = attach_libraries(done.model, [acme], late_types=True)
    assert again.model == done.model


def test_two_versions_may_have_one_body_that_is_made_of_others() -> None:
    made = LibraryBuilder()
    made.add("Kind", of_types(KIND, ("float16", "float")), types=("float16", "float"))
    made.add("Kind", of_types(KIND), since_version=2)
    acme = made.bundle()
    first, second = (
        opwright.attach(
            parse(MODEL.format(10, 18, "Kind").replace('"com.acme": 1', f'"com.acme": {version}')),
            acme,
            late_types=True,
        )
        for version in (1, 2)
    )
    made_of = [
        next(item.value for item in found.functions[0].metadata_props if item.key == LATE).split()
        for found in (first, second)
    ]
    assert [len(digests) for digests in made_of] == [2, 3]
    for found in (first, second):
        moved = opwright.convert(found, opset=21, libraries=acme)
        np.testing.assert_array_equal(run(moved), run(found))
        assert opwright.detach(moved) == opwright.detach(found)
        opwright.polyfill(found, opset=17, libraries=acme)


def test_an_altered_one_is_told() -> None:
    acme = library()
    made = opwright.attach(model("Kind"), acme, late_types=True)
    made.functions[0].node[-1].op_type = "Sub"
    assert inspect(made, acme)[0].state is State.ALTERED
    other = LibraryBuilder()
    other.add("Kind", of_types(KIND, float=7.0))
    made = opwright.attach(model("Kind"), acme, late_types=True)
    assert inspect(made, other.bundle())[0].state is State.ALTERED  # that release has no such bodies


def test_a_type_that_is_not_the_same_keeps_its_own_body() -> None:
    text = MODEL.format(10, 18, "Several").replace("float[N] x", "double[N] x").replace("float[N] y", "double[N] y")
    (found,) = refused(lambda: opwright.attach(parse(text), library(), late_types=True))
    assert found.code == "OW545"
    assert found.reason == "its bodies for double and float16 differ: Constant has other values of value_float"


@pytest.mark.parametrize(
    ("name", "opset", "reason"),
    [
        ("Other", 18, "Constant has other values of value_float"),
        ("Wide", 18, "takes double, float at opset 18, not float16"),
        ("Single", 18, "its input x is declared float"),
        ("Kind", 14, "CastLike came with opset 15"),
    ],
)
def test_bodies_that_do_not_follow_are_refused(name: str, opset: int, reason: str) -> None:
    (found,) = refused(lambda: opwright.attach(model(name, opset=opset), library(), late_types=True))
    assert found.code == "OW545"
    assert reason in found.reason


def test_bodies_for_all_types_are_what_they_were(acme: Bundle) -> None:
    plain = model("Twice")
    assert opwright.attach(plain, acme, late_types=True) == opwright.attach(plain, acme)


@pytest.mark.long
def test_a_chain_of_hundreds() -> None:
    made = LibraryBuilder()
    made.add("F0", of_types(KIND))
    for index in range(1, 300):
        bodies = [
            Body(f"(x) => (y) {{ y = com.acme.F{index - 1}:{name}(x) }}", (18, 18), (("T", name),), (name,))
            for name in CODES
        ]
        made.add(f"F{index}", bodies)
    late = opwright.attach(model("F299"), made.bundle(), late_types=True)
    assert len(late.functions) < 60  # long chains are flattened
    np.testing.assert_array_equal(run(converted(late)), np.array([4, 6, 3], np.float16))


def test_an_upgrade_keeps_following() -> None:
    acme = library()
    made = opwright.attach(model("Kind"), acme, late_types=True)
    assert opwright.upgrade(made, acme) == made


def test_every_call_of_a_function_of_the_model_counts() -> None:
    text = """
    <ir_version: 10, opset_import: ["": 18, "com.acme": 1, "local": 1]>
    main (int64[N] i, float[N] x) => (int64[N] j, float[N] y) { j = local.Own (i) y = local.Own (x) }
    <domain: "local", opset_import: ["": 18, "com.acme": 1]>
    Own (x) => (y) { y = com.acme.Minus (x) }
    """
    acme = LibraryBuilder()
    acme.add("Minus", [Body("(x) => (y) { y = Neg(x) }", admits=("float", "int64"))], types=("float", "int64"))
    (found,) = refused(lambda: opwright.attach(parse(text), acme.bundle(), late_types=True))
    assert (found.code, found.reason) == ("OW545", "it takes float, int64 at opset 18, not float16")


def test_nodes_that_stand_at_the_end_and_belong_before() -> None:
    """As the converter leaves them where the types of inputs stay."""
    made = converted(model("Kind"), keep_io_types=True)
    assert made.graph.node[-1].op_type == "Cast"
    done = attach_libraries(made, [library()])
    assert [item.code for item in done.diagnostics] == ["OW588"]
    assert [function.name for function in done.model.functions] == ["Kind__T_float16"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Kind", "it is the one for float; the model has that body already"),
        ("Outer", "it is the one for float; the model has that body already"),
        ("Upcast", "it is the one for float; the model has that body already"),
        ("Single", "its input x is declared float; the model has that body already"),
    ],
)
def test_what_was_attached_before_does_not_follow(name: str, reason: str) -> None:
    attached = opwright.attach(model(name), library())
    attached.graph.node.append(onnx.helper.make_node("Branch", ["y"], ["z"], domain="com.acme"))
    attached.graph.output.append(onnx.helper.make_tensor_value_info("z", 1, ["N"]))
    found = refused(lambda: opwright.attach(attached, library(), late_types=True))[0]
    assert (found.code, found.reason) == ("OW545", reason)
    detached = opwright.detach(attached)
    if name != "Single":
        run(converted(opwright.attach(detached, library(), late_types=True)))


def test_what_was_attached_of_a_library_that_is_not_given_does_not_follow() -> None:
    attached = opwright.attach(model("Kind"), library())
    (found,) = refused(lambda: opwright.attach(attached, LibraryBuilder().bundle(), late_types=True))
    assert (found.code, found.reason) == ("OW545", "it is the one for float; the model has that body already")


def test_what_follows_already_stays() -> None:
    attached = opwright.attach(model("Kind"), library(), late_types=True)
    assert opwright.attach(attached, library(), late_types=True) == attached
