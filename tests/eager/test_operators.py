"""Every row of the operator table on every element type, against numpy; and what the table refuses."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from opwright import Tensor
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager import at_opset
from opwright.elements import BY_NAME
from opwright.evaluator import Failed, NoKernel, OnnxRuntime, ReferenceEvaluator, default_as
from opwright.graphs.ndarrays import DTYPES
from opwright.lang.operators import BINARY, UNARY, UNDEFINED, Form, Refusal, class_of

FLOATS, SIGNED = ["float", "double", "float16", "bfloat16"], ["int8", "int32", "int64"]
TYPES = [*FLOATS, *SIGNED, "uint8", "uint32", "uint64", "bool", "string"]
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "@": operator.matmul,
    "**": operator.pow,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SINGLE: dict[str, Callable[[Any], Any]] = {
    "-": operator.neg,
    "+": operator.pos,
    "~": operator.invert,
    "abs": abs,
}
# (operator, element type) that the schema itself does not take although the table has a form for the class.
NOT_IN_SCHEMA = {("@", "int8"), ("@", "uint8")}


def operands(kind: str, symbol: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    dtype = DTYPES[BY_NAME[kind]]
    if kind == "bool":
        return np.array([True, True, False]), np.array([True, False, True])
    if kind == "string":
        return np.array(["a", "bc", ""], object), np.array(["a", "d", "é"], object)
    unsigned = kind.startswith("u")
    left = np.array([5, 0, 3] if unsigned or symbol == "**" else [5, -7, 3]).astype(dtype)
    right = np.array([3, 2, 1] if unsigned or symbol in ("**", "<<", ">>") else [3, 2, -2]).astype(dtype)
    return left, right


def expected(symbol: str, left: np.ndarray[Any, Any], right: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if symbol == "/" and left.dtype.kind in "iu":  # Div, which truncates
        return np.trunc(left.astype(np.float64) / right.astype(np.float64)).astype(left.dtype)
    found = np.asarray(ARITHMETIC[symbol](left, right))
    return found.astype(left.dtype) if symbol == "@" else found  # numpy multiplies bfloat16 matrices to float32


def test_the_tests_know_every_row() -> None:
    assert ARITHMETIC.keys() == BINARY.keys()
    assert SINGLE.keys() == UNARY.keys()


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("symbol", BINARY)
def test_binary(symbol: str, kind: str) -> None:
    entry = BINARY[symbol].get(class_of(BY_NAME[kind]), UNDEFINED)
    left, right = operands(kind, symbol)
    run = ARITHMETIC[symbol]
    if symbol == "**" and kind in SIGNED:
        with pytest.raises(DiagnosticError, match="OW335"):
            run(Tensor(left), Tensor(right))
        return
    if isinstance(entry, Refusal) or (symbol, kind) in NOT_IN_SCHEMA:
        with pytest.raises(DiagnosticError) as caught:
            run(Tensor(left), Tensor(right))
        assert caught.value.diagnostics[0].code == ("OW314" if isinstance(entry, Refusal) else "OW208")
        return
    found = run(Tensor(left), Tensor(right))
    wanted = expected(symbol, left, right)
    assert found.numpy().dtype == wanted.dtype
    if wanted.dtype.kind in "fV":
        np.testing.assert_allclose(found.numpy().astype(np.float64), wanted.astype(np.float64), rtol=1e-6)
    else:
        np.testing.assert_array_equal(found.numpy(), wanted)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("symbol", UNARY)
def test_unary(symbol: str, kind: str) -> None:
    entry = UNARY[symbol].get(class_of(BY_NAME[kind]), UNDEFINED)
    array, _ = operands(kind, symbol)
    run = SINGLE[symbol]
    if isinstance(entry, Refusal):
        with pytest.raises(DiagnosticError) as caught:
            run(Tensor(array))
        assert caught.value.diagnostics[0].code == "OW314"
        return
    np.testing.assert_array_equal(run(Tensor(array)).numpy(), run(array))


@pytest.mark.parametrize("symbol", [symbol for symbol in BINARY if symbol != "@"])
@pytest.mark.parametrize("kind", ["float", "int32", "uint8"])
def test_numbers_on_either_side(symbol: str, kind: str) -> None:
    """A number takes the tensor's type, also where Python asks the tensor second."""
    entry = BINARY[symbol].get(class_of(BY_NAME[kind]), UNDEFINED)
    if not isinstance(entry, Form) or (symbol, kind) in NOT_IN_SCHEMA:
        return
    array = np.array([1, 2, 3], DTYPES[BY_NAME[kind]])
    two = np.array(2, array.dtype)
    cases = [(ARITHMETIC[symbol](Tensor(array), 2), expected(symbol, array, two))]
    if symbol != "**" or kind not in SIGNED:
        cases.append((ARITHMETIC[symbol](2, Tensor(array)), expected(symbol, two, array)))
    for found, wanted in cases:
        assert found.numpy().dtype == wanted.dtype
        np.testing.assert_allclose(found.numpy().astype(np.float64), wanted.astype(np.float64), rtol=1e-6)


def test_numpy_leaves_the_work_to_tensors() -> None:
    x = Tensor(np.array([1.0, 2.0], np.float32))
    assert isinstance(np.float32(2) * x, type(x))
    assert isinstance(np.ones(2, np.float32) + x, type(x))
    assert (np.float64(0.1) * x).dtype == np.float32


@pytest.mark.parametrize("kind", ["float8e4m3fn", "float8e5m2", "int4", "uint4", "bfloat16"])
def test_types_that_numpy_lacks(kind: str) -> None:
    array = np.array([1, 0, 1]).astype(DTYPES[BY_NAME[kind]])
    x = Tensor(array)
    assert x.dtype is BY_NAME[kind]
    assert x.numpy().dtype == array.dtype
    assert Tensor(array.astype(np.float32)).dtype == np.float32


def test_bfloat16_is_rounded_once() -> None:
    x = Tensor(np.array([1.0], ml_dtypes.bfloat16))
    assert (x + 2**-8).numpy().tolist() == [1.0]  # a tie, to even
    assert (x + 0.0117).numpy().tolist() == [1.015625]


@pytest.mark.parametrize("opset", range(13, 29))
def test_opsets(opset: int) -> None:
    x = Tensor(np.array([[-1.5, 2.0]], np.float32))
    with at_opset(opset):
        np.testing.assert_array_equal((x * 2 + 1).numpy(), [[-2, 5]])
        np.testing.assert_array_equal((x // 2).numpy(), [[-1, 1]])
        np.testing.assert_array_equal((x >= 2).numpy(), [[False, True]])


def test_an_operator_that_the_opset_lacks() -> None:
    flags = Tensor(np.array([1, 2], np.int32))
    with at_opset(17), pytest.raises(DiagnosticError) as caught:
        flags & 1
    assert caught.value.diagnostics[0].code == "OW202"
    with at_opset(18):
        assert (flags & 1).numpy().tolist() == [1, 0]


@pytest.mark.parametrize("opset", [18, 28])  # onnxruntime's kernels, and those of the reference evaluator
def test_integers_divided_by_zero_and_beyond_their_range(opset: int) -> None:
    least = Tensor(np.array([-(2**63)]))
    with at_opset(opset):
        for step in (lambda: least / 0, lambda: least // 0, lambda: least % 0):
            with pytest.raises(DiagnosticError) as caught:
                step()
            assert caught.value.diagnostics[0].code == "OW370"
        assert (least // -1).numpy().tolist() == [-(2**63)]  # which stops the process in onnxruntime
        assert (least % -1).numpy().tolist() == [0]


def test_a_missing_kernel_is_made_up_for_by_the_reference_evaluator() -> None:
    x = Tensor(np.array([0.5, -1.0]))
    np.testing.assert_allclose(op.Erf(x).numpy(), [math.erf(0.5), math.erf(-1)])
    with default_as(OnnxRuntime()), pytest.raises(DiagnosticError) as caught:
        op.Erf(x)
    assert caught.value.diagnostics[0].code == "OW371"
    with default_as(ReferenceEvaluator()):
        assert op.Relu(x).numpy().tolist() == [0.5, 0.0]


def test_large_integers_are_exact() -> None:
    """Where onnxruntime compares halves of them, or computes in double."""
    big = 2**31 + 4633
    x, y = np.array([[big, 0, -big], [5, -1, 2**62]]), np.array([[3, big, 2], [1, 2, 3]])
    a, b = Tensor(x), Tensor(y)
    for found, wanted in (
        (op.Max(a, b), np.maximum(x, y)),
        (op.Min(a, b), np.minimum(x, y)),
        (op.Sign(a), np.sign(x)),
        (op.Relu(a), np.maximum(x, 0)),
        (op.Clip(a, 0, 2**40), np.clip(x, 0, 2**40)),
        (op.ReduceMax(a, keepdims=0), x.max()),
        (op.ReduceSum(a, keepdims=0), x.sum()),
        (op.ReduceSumSquare(b, keepdims=0), (y * y).sum()),
        (Tensor(np.array([3])) ** 39, np.array([3**39])),
    ):
        np.testing.assert_array_equal(found.numpy(), wanted)


def test_an_evaluator_of_ones_own() -> None:
    class Session:
        def run(self, data: tuple[Any, ...]) -> list[Any]:
            if not data[0].all():
                raise Failed("a zero")
            return [data[0] * 10]

    class TimesTen:
        def load(self, task: Any) -> Session:
            if task.name != "Relu":
                raise NoKernel("only Relu")
            return Session()

    x = Tensor(np.array([1.0, 2.0], np.float32))
    with default_as(TimesTen(), ReferenceEvaluator()):
        assert op.Relu(x).numpy().tolist() == [10, 20]
        assert op.Neg(x).numpy().tolist() == [-1, -2]
        with pytest.raises(DiagnosticError, match="a zero"):
            op.Relu(x - 1)
