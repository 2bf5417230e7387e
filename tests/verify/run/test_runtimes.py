"""The real runtimes: what they run, what they refuse and how, what they fail over."""

import ml_dtypes
import numpy as np
import onnx.parser
import pytest
from opwright_build.spec.runtime_names import ONNXRUNTIME_FULL, ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Array, Items, Status
from opwright_build.verify.facts.refusals import Refusal
from opwright_build.verify.run.models import Signature, one_node_model
from opwright_build.verify.run.runtimes import Failed, Refused, Runtime, Session, available, newest_accepted

ALL = [runtime.name for runtime in available()]


def runtime_named(name: str) -> Runtime:
    (runtime,) = available([name])
    return runtime


def load(name: str, text: str, signature: Signature, opset: int = 18) -> Session:
    function = onnx.parser.parse_function(f'<domain: "com.acme", opset_import: ["": {opset}]> F {text}')
    return runtime_named(name).load(one_node_model([function], signature, opset), signature)


def unary(kind: str, rank: int = 1) -> Signature:
    return Signature(((kind, rank),), (), (kind,))


def test_all_are_there_in_one_order() -> None:
    assert ALL == [ONNXRUNTIME_OFF, ONNXRUNTIME_FULL, REFERENCE]
    assert [runtime.name for runtime in available([REFERENCE, ONNXRUNTIME_OFF])] == [ONNXRUNTIME_OFF, REFERENCE]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(
    "array", [np.array([1.5, -1.0], np.float32), np.array([1.5, -1.0]), np.array([1.5, -1.0], ml_dtypes.bfloat16)]
)
def test_one_session_serves_every_size(name: str, array: Array) -> None:
    kind = {"float32": "float", "float64": "double", "bfloat16": "bfloat16"}[array.dtype.name]
    session = load(name, "(x) => (y) { y = Identity(x) }", unary(kind))
    for size in (2, 1, 0):
        (result,) = session.run([array[:size]])
        assert result.dtype == array.dtype
        assert result.tolist() == array[:size].tolist()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("kind", ["float", "string"])
def test_sequences_go_in_and_come_out(name: str, kind: str) -> None:
    text = "(xs, x) => (ys, n) { ys = SequenceInsert(xs, x) n = SequenceLength(ys) }"
    session = load(name, text, Signature(((f"seq({kind})", None), (kind, 1)), (), (f"seq({kind})", "int64")))
    one = np.array(["a"], object) if kind == "string" else np.array([1.5], np.float32)
    for items in ((), (one,), (one, one)):
        found, count = session.run([Items(kind, items), one])
        assert isinstance(found, Items)
        assert [array.tolist() for array in found.arrays] == [one.tolist()] * (len(items) + 1)
        assert count == len(items) + 1


@pytest.mark.parametrize(("name", "kind"), [(ONNXRUNTIME_OFF, "double"), (ONNXRUNTIME_FULL, "double"), (REFERENCE, "")])
def test_a_sequence_of_nothing_is_what_the_model_says(name: str, kind: str) -> None:
    for declared in ("seq(double)", ""):
        session = load(name, "() => (ys) { ys = SequenceEmpty<dtype = 11>() }", Signature((), (), (declared,)))
        assert session.run([]) == [Items(kind, ())]


def test_a_sequence_beside_a_type_that_numpy_does_not_have_is_refused() -> None:
    signature = Signature((("seq(float)", None), ("bfloat16", 0)), (), ("int64", "bfloat16"))
    with pytest.raises(Refused) as refused:
        load(ONNXRUNTIME_OFF, "(xs, x) => (n, y) { n = SequenceLength(xs) y = Identity(x) }", signature)
    assert refused.value.refusal == Refusal(Status.UNSUPPORTED, "a sequence and bfloat16 cannot be passed in one call")


@pytest.mark.parametrize("name", ALL)
def test_absent_inputs_and_attributes_reach_the_body(name: str) -> None:
    text = "<slope>(x, low, high) => (y) { c = Clip(x, low, high) y = LeakyRelu<alpha: float = @slope>(c) }"
    signature = Signature((("float", 1), None, ("float", 0)), (("slope", "FLOAT", 0.5),), ("float",))
    session = load(name, text, signature)
    (result,) = session.run([np.array([-4.0, 9.0], np.float32), np.array(3.0, np.float32)])
    assert result.tolist() == [-2.0, 3.0]


@pytest.mark.parametrize("name", [ONNXRUNTIME_OFF, ONNXRUNTIME_FULL])
@pytest.mark.parametrize(
    ("kind", "text", "status", "reason"),
    [
        ("double", "(x) => (y) { y = Erf(x) }", Status.NO_KERNEL, "no kernel for Erf-13 with these types"),
        ("int4", "(x) => (y) { y = Identity(x) }", Status.UNSUPPORTED, ""),
    ],
)
def test_a_refusal_is_told_from_a_failure(name: str, kind: str, text: str, status: Status, reason: str) -> None:
    with pytest.raises(Refused) as caught:
        load(name, text, unary(kind), 24 if kind == "int4" else 18)
    assert caught.value.refusal.status in (status, Status.NO_KERNEL)
    assert caught.value.refusal.reason.startswith(reason)


def test_an_older_version_that_the_reference_lacks_is_a_refusal() -> None:
    signature = Signature((("int8", 1), ("float", 0)), (), ("float",))
    with pytest.raises(Refused) as caught:
        load(REFERENCE, "(x, s) => (y) { y = DequantizeLinear(x, s) }", signature, 18)
    assert caught.value.refusal == Refusal(
        Status.NO_KERNEL, "no implementation of DequantizeLinear-18", "DequantizeLinear"
    )
    assert load(REFERENCE, "(x, s) => (y) { y = DequantizeLinear(x, s) }", signature, 19)


@pytest.mark.parametrize("name", [ONNXRUNTIME_OFF, ONNXRUNTIME_FULL])
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("float", "(x) => (y) { y = Nonsense(x) }"),
        ("bool", "(x) => (y) { y = Exp(x) }"),
        ("float", "(x) => (y) { y = Exp<base = 2.0>(x) }"),
        ("float", "(x) => (y) { y = Shape(x) }"),
    ],
)
def test_what_the_standard_refuses_is_a_failure_of_the_body(name: str, kind: str, text: str) -> None:
    with pytest.raises(Failed):
        load(name, text, unary(kind))


def test_an_operator_that_nobody_has_is_a_failure_on_the_reference_too() -> None:
    with pytest.raises(Failed):
        load(REFERENCE, "(x) => (y) { y = Nonsense(x) }", unary("float"))


def test_a_body_that_is_not_inlined_is_not_run_as_it_is() -> None:
    function = onnx.parser.parse_function('<domain: "com.acme", opset_import: ["": 13]> F(x) => (y) { y = Relu(x) }')
    with pytest.raises(Failed, match="leaves the call"):
        runtime_named(REFERENCE).load(one_node_model([function], unary("float"), 20), unary("float"))


@pytest.mark.parametrize("name", ALL)
def test_an_error_while_running_is_a_failure(name: str) -> None:
    signature = Signature((("float", 1), ("int64", 1)), (), ("float",))
    session = load(name, "(x, shape) => (y) { y = Reshape(x, shape) }", signature)
    with pytest.raises(Failed):
        session.run([np.ones(6, np.float32), np.array([7])])
    assert session.run([np.ones(6, np.float32), np.array([3, 2])])[0].shape == (3, 2)


@pytest.mark.parametrize("name", ALL)
def test_division_by_zero_is_quiet(name: str, recwarn: pytest.WarningsRecorder) -> None:
    session = load(name, "(x) => (y) { y = Reciprocal(x) }", unary("float"))
    (result,) = session.run([np.array([0.0, -0.0], np.float32)])
    assert result.tolist() == [np.inf, -np.inf]
    assert len(recwarn) == 0


def test_the_newest_accepted_opset_is_found() -> None:
    off, reference = runtime_named(ONNXRUNTIME_OFF), runtime_named(REFERENCE)
    assert newest_accepted(reference, 20, 28) == 28
    assert newest_accepted(off, 13, 18) == 18
    newest = newest_accepted(off, 13, 28)
    assert isinstance(newest, int)
    assert 18 <= newest <= 28
    if newest < 28:
        refusal = newest_accepted(off, newest + 1, 28)
        assert isinstance(refusal, Refusal)
        assert refusal.status is Status.UNSUPPORTED
        assert "is not accepted" in refusal.reason
    unknown = newest_accepted(reference, 900, 900)
    assert unknown == Refusal(Status.UNSUPPORTED, "opset 900 is not known")


def test_strings_do_not_travel_with_types_that_numpy_lacks() -> None:
    signature = Signature((("string", 1), ("bfloat16", 1)), (), ("string",))
    with pytest.raises(Refused, match="string and bfloat16"):
        load(ONNXRUNTIME_OFF, "(x, z) => (y) { y = Identity(x) }", signature)


@pytest.mark.parametrize("name", ALL)
def test_strings_go_through(name: str) -> None:
    session = load(name, "(x) => (y) { y = Identity(x) }", unary("string"))
    assert session.run([np.array(["a", "ü"], object)])[0].tolist() == ["a", "ü"]


@pytest.mark.parametrize("name", ALL)
def test_a_default_that_is_written_out_is_taken(name: str) -> None:
    text = '(x, z) => (y) { y = CastLike<saturate = 1, round_mode = "up">(x, z) }'
    session = load(name, text, Signature((("float", 1), ("double", 1)), (), ("double",)), opset=25)
    (result,) = session.run([np.array([0.1], np.float32), np.zeros(1)])
    assert result.tolist() == [float(np.float32(0.1))]
