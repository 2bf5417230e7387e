"""Anonymous bodies become FunctionProtos that every judge of ONNX accepts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import onnx
import pytest
from onnx import FunctionProto, helper
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright.bundle.format import AttributeEntry, Bundle, FunctionEntry, InputEntry
from opwright.diagnostics import DiagnosticError
from opwright.link.apply import attach
from opwright.link.instantiate import instantiate
from opwright.link.naming import bodies_at
from opwright.variants import Profile

from tests.link.conftest import Body, LibraryBuilder, parse, refused

LEAKY = "<slope>(x) => (y) { y = LeakyRelu<alpha: float = @slope>(x) }"


def model_of(functions: list[FunctionProto], node: onnx.NodeProto, opset: int = 18) -> onnx.ModelProto:
    """A model of one node on float `x`, calling the last of the functions."""
    inputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["N"]) for name in node.input if name]
    outputs = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["N"]) for name in node.output if name]
    domains = {"": opset, **{function.domain: 1 for function in functions}}
    domains |= {item.domain: item.version for function in functions for item in function.opset_import}
    return helper.make_model(
        helper.make_graph([node], "g", inputs, outputs),
        opset_imports=[helper.make_opsetid(domain, version) for domain, version in domains.items()],
        functions=functions,
        ir_version=10,
    )


def run(model: onnx.ModelProto, x: list[float]) -> list[float]:
    onnx.checker.check_model(model, full_check=True)
    feeds = {"x": np.array(x, np.float32)}
    return [float(value) for value in ReferenceEvaluator(inline_local_functions(model)).run(None, feeds)[0]]


def call(function: FunctionProto, **attributes: object) -> onnx.NodeProto:
    return helper.make_node(
        function.name,
        list(function.input),
        list(function.output),
        domain=function.domain,
        overload=function.overload or None,
        **attributes,
    )


@pytest.fixture
def library() -> LibraryBuilder:
    made = LibraryBuilder()
    made.add("Leaky", LEAKY, attributes=[AttributeEntry("slope", "FLOAT", False, 0.5)])
    made.add("Twice", "(x) => (y) { t = com.acme.Leaky(x) y = Add(t, t) }")
    return made


def entry_of(library: LibraryBuilder, name: str, since_version: int = 1) -> FunctionEntry:
    return library.known[library.domain, name, since_version]


def functions_of(library: LibraryBuilder, name: str, since_version: int = 1, **options: object) -> list[FunctionProto]:
    entry = entry_of(library, name, since_version)
    settings = {"opset": 18, "domain": "com.acme", **options}
    index = library.bundle().index
    return instantiate(index, library.bodies, entry, entry.bodies[0], **settings)  # type: ignore[arg-type]


def test_callees_come_first_and_defaults_are_written_at_calls(library: LibraryBuilder) -> None:
    leaky, twice = functions_of(library, "Twice")
    assert (leaky.name, twice.name) == ("Leaky", "Twice")
    assert leaky.attribute_proto[0].name == "slope"
    assert leaky.attribute_proto[0].f == 0.5
    assert not leaky.attribute
    written = next(node for node in twice.node if node.op_type == "Leaky").attribute
    assert [(item.name, item.f) for item in written] == [("slope", 0.5)]
    assert run(model_of([leaky, twice], call(twice)), [-2.0, 3.0]) == [-2.0, 6.0]


def test_identity_digest_release_and_doc_are_recorded(library: LibraryBuilder) -> None:
    (leaky,) = functions_of(library, "Leaky")
    assert {item.key: item.value for item in leaky.metadata_props} == {
        "opwright.identity": "com.acme::Leaky@1",
        "opwright.body": entry_of(library, "Leaky").bodies[0].body,
        "opwright.library": "acme-ops",
        "opwright.release": "1.0.0",
    }
    assert leaky.doc_string == "Leaky of com.acme."


def test_opset_imports_are_the_asked_opset_and_the_domains_called(library: LibraryBuilder) -> None:
    leaky, twice = functions_of(library, "Twice", opset=21)
    assert [(item.domain, item.version) for item in leaky.opset_import] == [("", 21)]
    assert [(item.domain, item.version) for item in twice.opset_import] == [("", 21), ("com.acme", 1)]


def test_bytes_are_the_same_every_time(library: LibraryBuilder) -> None:
    once, again = (
        [item.SerializeToString(deterministic=True) for item in functions_of(library, "Twice")] for _ in range(2)
    )
    assert once == again


def test_a_default_that_the_reference_evaluator_does_not_take_is_left_out() -> None:
    made = LibraryBuilder()
    text = "(x) => (y) { o = Constant<value_float: float = 2.0>() l = CastLike(o, x) y = Mul(x, l) }"
    made.add("Like", [Body(text, (24, 24))])
    (function,) = functions_of(made, "Like", opset=24)
    assert [attribute.name for node in function.node for attribute in node.attribute] == ["value_float", "saturate"]
    assert run(model_of([function], call(function), opset=24), [1.5]) == [3.0]


@pytest.mark.parametrize("names", [("v0", "v1"), ("v", "_v0"), ("v2", "v"), ("i1", "o0"), ("a0", "__v1")])
def test_declared_names_never_meet_local_ones(names: tuple[str, str]) -> None:
    source, result = names
    library = LibraryBuilder()
    text = f"({source}) => ({result}) {{ p = Neg({source}) q = Abs(p) r = Neg(q) {result} = Exp(r) }}"
    library.add("F", text, inputs=[source], outputs=[result])
    (function,) = functions_of(library, "F")
    assert (list(function.input), list(function.output)) == ([source], [result])
    defined = [name for node in function.node for name in node.output]
    assert len(set(defined) | {source}) == 5
    node = helper.make_node("F", ["x"], ["out"], domain="com.acme")
    assert run(model_of([function], node), [0.0, -1.0]) == pytest.approx([1.0, np.exp(-1.0)])


def test_an_output_named_like_an_input_is_told_apart() -> None:
    library = LibraryBuilder()
    library.add("F", "(x) => (y) { y = Neg(x) }", outputs=["x"])
    (function,) = functions_of(library, "F")
    assert (list(function.input), list(function.output)) == (["x"], ["x_out"])


def test_values_of_subgraphs_are_renamed_with_their_captures() -> None:
    library = LibraryBuilder()
    text = (
        "<flip>(x) => (y) { c = Constant<value_int: int = @flip>() b = Cast<to = 9>(c) t = Neg(x) "
        "y = If (b) <then_branch = g () => (float[N] p) { p = Neg(t) }, "
        "else_branch = h () => (float[N] q) { q = Identity(t) }> }"
    )
    library.add("F", text, inputs=["t"], outputs=["y"], attributes=[AttributeEntry("flip", "INT", True)])
    entry = library.known["com.acme", "F", 1]
    assert entry.bodies[0].inputs == ("x",)
    (function,) = functions_of(library, "F")
    for flip, expected in ((1, [2.0]), (0, [-2.0])):
        model = model_of([function], call(function, flip=flip))
        assert run(model, [2.0]) == expected


def two_versions(pins: dict[str, int]) -> LibraryBuilder:
    library = LibraryBuilder()
    library.add("G", "(x) => (y) { y = Neg(x) }", since_version=1)
    library.add("G", "(x) => (y) { y = Abs(x) }", since_version=2)
    library.add("F", "(x) => (y) { t = com.acme.G(x) y = Identity(t) }", since_version=2, pins=pins)
    return library


def test_a_callee_pinned_to_another_version_has_an_id_of_its_own() -> None:
    pinned, _ = functions_of(two_versions({"G": 1}), "F", 2)
    # By name, for onnxruntime ignores the overload of a call inside a function.
    assert (pinned.name, pinned.overload) == ("G__since_1", "")
    meant, _ = functions_of(two_versions({}), "F", 2)
    assert (meant.name, meant.overload) == ("G", "")
    portable, caller = functions_of(two_versions({"G": 1}), "F", 2, profile=Profile.PORTABLE)
    assert (portable.name, portable.overload) == ("G__since_1", "")
    assert run(model_of([portable, caller], call(caller)), [-3.0]) == [3.0]


def variants() -> LibraryBuilder:
    library = LibraryBuilder()
    absent, present = (("low", "absent"),), (("low", "present"),)
    bodies = [
        Body("(x) => (y) { y = Identity(x) }", variant=absent),
        Body("(x, low) => (y) { y = Max(x, low) }", variant=present),
    ]
    library.add("Floor", bodies, inputs=["x", InputEntry("low", "T", optional=True)])
    return library


def test_variants_have_their_key_as_overload_or_in_the_name() -> None:
    library = variants()
    entry = entry_of(library, "Floor")
    index = library.bundle().index
    found = [
        instantiate(index, library.bodies, entry, body, opset=18, domain="com.acme", profile=profile)[0]
        for profile in Profile
        for body in bodies_at(entry, 18)
    ]
    assert [(item.name, item.overload, list(item.input)) for item in found] == [
        ("Floor__low_absent", "", ["x"]),
        ("Floor__low_present", "", ["x", "low"]),
        ("Floor", "low=absent", ["x"]),
        ("Floor", "low=present", ["x", "low"]),
    ]


def test_variants_of_one_body_are_one_function_of_the_plain_name() -> None:
    library = LibraryBuilder()
    bodies = [Body("(x) => (y) { y = Neg(x) }", variant=(("T", name),)) for name in FLOAT_TYPES]
    library.add("F", bodies)
    entry = entry_of(library, "F")
    names = {
        instantiate(library.bundle().index, library.bodies, entry, body, opset=18, domain="com.acme")[0].name
        for body in entry.bodies
    }
    assert names == {"F"}


FLOAT_TYPES = ("float16", "float", "double")


def test_a_mirror_is_the_domain_of_the_function_and_of_its_siblings() -> None:
    library = LibraryBuilder(domain="ai.onnx", mirror="opwright.ai.onnx", domain_version=28)
    library.add("Inner", "(x) => (y) { y = Abs(x) }", since_version=22)
    library.add("Outer", "(x) => (y) { t = ai.onnx.Inner(x) y = Neg(t) }", since_version=22)
    inner, outer = functions_of(library, "Outer", 22, domain="opwright.ai.onnx")
    assert [item.domain for item in (inner, outer)] == ["opwright.ai.onnx"] * 2
    assert [node.domain for node in outer.node] == ["opwright.ai.onnx", ""]
    assert run(model_of([inner, outer], call(outer)), [-3.0]) == [-3.0]


@pytest.mark.long
def test_a_chain_of_calls_needs_no_recursion() -> None:
    library = LibraryBuilder()
    library.add("F0", "(x) => (y) { y = Neg(x) }")
    for index in range(1, 1500):
        library.add(f"F{index}", [Body(f"(x) => (y) {{ y = com.acme.F{index - 1}(x) }}", (18, 18))])
    functions = functions_of(library, "F1499")
    assert functions[-1].name == "F1499"
    assert len(functions) <= 50  # the levels in between are inlined, since onnx.checker stops at 100
    assert run(model_of(functions, call(functions[-1])), [2.0]) == [-2.0]


def test_a_missing_callee_is_named(library: LibraryBuilder) -> None:
    twice = entry_of(library, "Twice")
    with pytest.raises(DiagnosticError) as caught:
        instantiate({twice.identity: twice}, library.bodies, twice, twice.bodies[0], opset=18, domain="com.acme")
    (found,) = caught.value.diagnostics
    assert (found.code, "com.acme::Leaky@1" in found.message) == ("OW564", True)


@pytest.mark.parametrize(
    "damage", [b"\xff\xff", b"", FunctionProto(input=["i0"], output=["o0", "o1"]).SerializeToString()]
)
def test_a_body_of_nonsense_is_refused(library: LibraryBuilder, damage: bytes) -> None:
    digest = entry_of(library, "Leaky").bodies[0].body
    library.bodies[digest] = damage
    with pytest.raises(DiagnosticError) as caught:
        functions_of(library, "Twice")
    assert [item.code for item in caught.value.diagnostics] == ["OW575"]


def test_a_body_that_calls_what_the_index_does_not_name_is_refused(library: LibraryBuilder) -> None:
    twice = entry_of(library, "Twice")
    function = FunctionProto.FromString(library.bodies[twice.bodies[0].body])
    function.node[0].op_type = "0" * 64
    library.bodies[twice.bodies[0].body] = function.SerializeToString()
    with pytest.raises(DiagnosticError) as caught:
        functions_of(library, "Twice")
    assert [item.code for item in caught.value.diagnostics] == ["OW575"]


def test_a_body_under_the_digest_of_another_is_refused(acme: Bundle) -> None:
    """A bundle lists its members by their bytes; that a body is the one its name promises, only its nodes tell."""
    digests = sorted(acme.bodies)
    swapped = replace(acme, bodies=dict(zip(digests, [acme.bodies[item] for item in reversed(digests)], strict=True)))
    model = parse(
        '<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> '
        "g (float[N] x) => (float[N] y) { y = com.acme.Swish(x) }"
    )
    assert attach(model, acme).functions
    found = refused(lambda: attach(model, swapped))
    assert [item.code for item in found] == ["OW575"]
    assert "and it is named body1:" in found[0].reason
