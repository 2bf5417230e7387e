"""What a newcomer gets wrong: each answer has a code, the line of the call, and says what is allowed."""

import linecache
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, Opset, Sequence, Tensor, script
from opwright import opset18 as op
from opwright.eager import at_opset
from opwright.evaluator import OnnxRuntime, default_as

Row = FLOAT["N"]
Matrix = FLOAT["M", "N"]


@script()
def scaled(a: Row, k: int = 1, s: float = 1.0, mode: str = "x"):
    return a * s + k


@script()
def three(a: FLOAT[3]) -> Matrix:
    return a * 2


@script()
def joined(xs: Sequence[FLOAT[...]]):
    return op.ConcatFromSequence(xs, axis=0)


@script()
def generator(a):
    yield a


@script()
async def task(a):
    return a


@script()
def add(a, b):
    return op.Add(a, b)


HANDED: list[Any] = [None]


@script()
def hand_on(a):
    return add(a, HANDED[0])


NAMES: dict[str, Any] = {
    **{item.__name__: item for item in (scaled, three, joined, generator, task, add)},
    **{item.__name__: item for item in (FLOAT, INT64, Opset, Tensor, OnnxRuntime, at_opset, default_as)},
    "np": np,
    "op": op,
    "x": np.array([1, 2], np.float32),
    "d": np.array([1.0, 2.0]),
    "i": np.array([1, 2]),
    "m": np.ones((2, 3), np.float32),
    "t": Tensor(np.array([1, 2], np.float32)),
    "half": np.ones(2, ml_dtypes.bfloat16),
}
# (call, code, words of the finding)
REFUSED = [
    ("op.Add(x, d)", "OW315", "float[2] and double[2]"),
    ("t + d", "OW315", "cast one of them"),
    ("op.Add(x)", "OW204", "needs its input `B`"),
    ("op.Add(None, x)", "OW204", "needs its input `A`"),
    ("op.Add(x, x, x)", "OW203", "takes 2 inputs, and 3 are given"),
    ("op.Relu(x, X=x)", "OW203", "gets its input `X` twice"),
    ("op.Concat(axis=0)", "OW204", "at least one input"),
    ("op.Concat(x, x)", "OW206", "write `axis=...`"),
    ("op.Concat(x, x, axis='0')", "OW207", "takes an int"),
    ("op.Concat([x, x], axis=0)", "OW325", "a list of tensors is not a tensor"),
    ("op.Relu(x, alpha=1)", "OW205", "its attributes are: none"),
    ("op.LeakyRelu(x, alpha=[1.0])", "OW207", "takes a number"),
    ("op.LeakyRelu(x, alpha=t)", "OW324", "must be known when the function is built"),
    ("op.Cast(x, to='float')", "OW207", "an element type such as FLOAT"),
    ("op.Cast(x, to=float)", "OW207", "an element type such as FLOAT"),
    ("op.Relu('abc')", "OW208", "takes bfloat16, double, float"),
    ("op.Relu([[1.0], [2.0, 3.0]])", "OW325", "`[[1.0], [2.0, 3.0]]` is not a tensor"),
    ("op.Relu({})", "OW325", "an object of type `dict` is not a tensor"),
    ("op.Relu(scaled)", "OW325", "the function `scaled` is not a tensor"),
    ("op.Loop(3, True, x, body=scaled)", "OW207", "takes a graph, not the function `scaled`"),
    ("op.Relu(v for v in [1.0])", "OW325", "a tensor, a number or a list of numbers"),
    ("op.Relu(np.array([object()]))", "OW325", "an array of object is not a tensor"),
    ("op.Relu(np.ma.array([1.0], mask=[True]))", "OW325", "a masked array is not a tensor"),
    ("op.Sin(half)", "OW208", "does not take bfloat16[2]"),
    ("op.Gather(x, [0.5])", "OW208", "takes int32, int64"),
    ("op.Reshape(x, [3])", "OW370", "Input shape:{2}, requested shape:{3}"),
    ("op.MatMul(m, m)", "OW370", "MatMul(float[2, 3], float[2, 3]) fails"),
    ("op.Loop(3, True, x, body=3)", "OW207", "takes a graph"),
    ("op.Loop(3, True, x)", "OW206", "needs its attribute `body`"),
    ("op.SequenceAt([x, d], 0)", "OW315", "tensors of one element type"),
    ("op.SequenceAt([x], 5)", "OW370", "Invalid sequence index (5)"),
    ("op.Constant()", "OW314", "here is none"),
    ("op.Constant(value=1, value_int=3)", "OW314", "here is `value`, `value_int`"),
    ("t + 'a'", "OW313", "a string is not of type float"),
    ("t + None", "OW314", "not defined for None"),
    ("t & t", "OW314", "&"),
    ("t[0.5]", "OW340", "0.5"),
    ("t['a']", "OW340", "'a'"),
    ("t[5]", "OW342", "the axis has 2 elements"),
    ("t[0, 0]", "OW342", "2 indices"),
    ("t[::0]", "OW312", "zero"),
    ("bool(t)", "OW320", "one element"),
    ("FLOAT(x)", "OW314", "op.Cast(x, to=...)"),
    ("INT64(0.5)", "OW313", "holds integers only"),
    ("scaled()", "OW204", "missing a required argument: 'a'"),
    ("scaled(d)", "OW208", "declared float"),
    ("scaled(m)", "OW372", "with the shape [N], not float[2, 3]"),
    ("scaled(3.0)", "OW372", "with the shape [N], not float[]"),
    ("three([1.0, 2.0])", "OW372", "with the shape [3], not float[2]"),
    ("three([1.0, 2.0, 3.0])", "OW210", "declared to give the shape [M, N], and gives float[3]"),
    ("scaled(x, k=0.5)", "OW207", "an attribute of type INT"),
    ("scaled(x, mode=3)", "OW207", "an attribute of type STRING"),
    ("scaled(x, nosuch=1)", "OW203", "unexpected keyword argument 'nosuch'"),
    ("scaled(A=x)", "OW203", "did you mean `a`?"),
    ("scaled(z=x)", "OW203", "unexpected keyword argument 'z'"),
    ("scaled(z=x, k=2)", "OW203", "did you mean `a`?"),
    ("op.Add(x, z=x)", "OW205", "did you mean `B`?"),
    ("op.Concat(x, x, axs=0)", "OW205", "did you mean `axis`?"),
    ("scaled([x, x])", "OW325", "annotate `Sequence[...]`"),
    ("add('a', 'b')", "OW208", "does not take string[]"),
    ("joined([x, d])", "OW315", "tensors of one element type"),
    ("joined([d, d])", "OW208", "does not take double[2] as `xs`"),
    ("joined((d, d))", "OW208", "does not take double[2] as `xs`"),
    ("joined(m)", "OW325", "takes a list of tensors as `xs`"),
    ("joined([x, None])", "OW325", "None is not a tensor"),
    ("generator(x)", "OW304", "gives a generator"),
    ("task(x)", "OW304", "gives a coroutine"),
]
# What stands before any operator runs: Python's own kinds of errors.
RAISED = [
    ("op.Rellu(x)", AttributeError, "did you mean 'Relu'"),
    ("op.Gelu(x)", AttributeError, "opset 20 has it"),
    ("Opset('com.nosuch', 1).Foo(x)", AttributeError, "signatures="),
    ("Opset('', 99).Relu(x)", AttributeError, "the installed onnx knows the opsets of ai.onnx to"),
    ("scaled.to_model_proto(opset='a')", ValueError, "not 'a'"),
    ("scaled.to_model_proto(opset=99)", ValueError, "not 99"),
    (
        "scaled.to_model_proto(profile='overloads')",
        ValueError,
        "`profile` is 'portable' or 'overload', not 'overloads'",
    ),
    ("scaled.to_function_proto(opset=Opset('com.acme', 1))", ValueError, "com.acme"),
    (
        "scaled.to_model_proto(names=4)",
        TypeError,
        "a mapping, not 4; an attribute of that name is",
    ),
    ("scaled.to_model_proto(names=['a'])", TypeError, "a mapping, not ['a']"),
    ("scaled.to_model_proto(functions=3)", TypeError, "a collection, not 3"),
    ("scaled.to_model_proto(input_types=3)", TypeError, "a mapping or a sequence, not 3"),
    ("scaled.to_model_proto(ir_version='x')", TypeError, "an int, not 'x'"),
    ("scaled.to_model_proto(producer_name=3)", TypeError, "a text, not 3"),
    ("at_opset('a').__enter__()", ValueError, "not 'a'"),
    ("default_as(3).__enter__()", TypeError, "3 is no evaluator"),
    ("default_as(OnnxRuntime).__enter__()", TypeError, "OnnxRuntime()"),
    ("Tensor([[1.0], [2.0, 3.0]])", TypeError, "no tensor can be made of it"),
    ("Tensor(np.ma.array([1.0]))", TypeError, "masked"),
    ("Tensor(None)", TypeError, "ONNX has no tensors of object"),
]


def _evaluate(text: str) -> Any:
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, [text], name)
    return eval(compile(text, name, "eval", dont_inherit=True), NAMES)


@pytest.mark.parametrize(("text", "code", "words"), REFUSED, ids=[row[0] for row in REFUSED])
def test_a_finding_with_its_place(text: str, code: str, words: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        _evaluate(text)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert words in f"{found.message}; {found.reason}; {found.help}"
    assert found.place is not None
    inside = text.startswith("add(")  # the line of a function that runs
    assert (found.place.file == f"<{text}>") is not inside


@pytest.mark.parametrize(("text", "kind", "words"), RAISED, ids=[row[0] for row in RAISED])
def test_an_error_of_python(text: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        _evaluate(text)
    assert words in str(caught.value)


def _nested(depth: int, kind: type[list[Any]] | type[tuple[Any, ...]] = list) -> Any:
    value: Any = 1.0
    for _ in range(depth):
        value = kind([value])
    return value


def _holding_itself() -> list[Any]:
    value: list[Any] = [1.0]
    value += [value, value]
    return value


DEEP = {
    "more than an array has axes": _nested(65),
    "more than Python has frames": _nested(5000),
    "tuples": _nested(5000, tuple),
    "a list of itself": _holding_itself(),
}


@pytest.mark.parametrize(
    "call",
    [
        lambda deep: scaled(deep),
        lambda deep: scaled(np.ones(2, np.float32), k=deep),
        lambda deep: (HANDED.__setitem__(0, deep), hand_on(np.ones(2, np.float32))),
        lambda deep: op.Add(np.ones(2, np.float32), deep),
        lambda deep: op.Softmax(np.ones(2, np.float32), axis=deep),
        lambda deep: Tensor(np.ones(2, np.float32)) + deep,
        lambda deep: Tensor(np.ones(2, np.float32))[deep],
        lambda deep: op.If(np.array(True), then_branch=lambda: op.Identity(deep), else_branch=lambda: op.Identity(1.0)),
    ],
    ids=["input", "attribute", "handed on", "operand", "of an operator", "of a tensor", "index", "captured"],
)
@pytest.mark.parametrize("deep", DEEP.values(), ids=DEEP)
def test_a_list_that_is_nested_too_deeply(call: Callable[[Any], Any], deep: Any) -> None:
    with pytest.raises(DiagnosticError) as caught:
        call(deep)
    assert [item.code for item in caught.value.diagnostics] == ["OW311"]


def test_a_list_has_as_many_levels_as_an_array_has_axes() -> None:
    assert op.Identity(_nested(64)).shape == (1,) * 64
