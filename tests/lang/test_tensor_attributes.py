"""`x.T`, `x.ndim` and `x.size`: as numpy has them, compiled at several opsets, in eager mode and in the builder."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, DiagnosticWarning, GraphBuilder, OnnxFunction, Tensor, script
from opwright import opset9 as op

from tests.docs.running import run_model

SHAPES = [(), (3,), (2, 3), (2, 0), (2, 3, 4)]
OPSETS = (9, 13, 18, 25)


@script()
def Reversed(x: FLOAT[...]):
    return x.T


@script()
def Sized(x: FLOAT[...]):
    return op.Cast(x.size, to=FLOAT) + 0.5 * x.ndim


def _array(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def _same(found: np.ndarray, wanted: np.ndarray) -> None:
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert np.array_equal(found, wanted)


@pytest.mark.parametrize("opset", OPSETS)
@pytest.mark.parametrize("shape", SHAPES)
def test_they_are_numpys_at_every_opset(shape: tuple[int, ...], opset: int) -> None:
    """Of a rank that is known, and of sizes that are known too."""
    x = _array(shape)
    for dims in (tuple(None for _ in shape), shape):
        type_ = FLOAT[dims] if dims else FLOAT
        for function, wanted in ((Reversed, x.T), (Sized, np.float32(x.size + 0.5 * x.ndim))):
            model = function.to_model_proto(input_types=[type_], opset=opset)
            for outputs in run_model(model, {"x": x}).values():
                _same(outputs[0], np.asarray(wanted))


@pytest.mark.parametrize("shape", SHAPES)
def test_eager_mode_agrees(shape: tuple[int, ...]) -> None:
    x = _array(shape)
    _same(Tensor(x).T.numpy(), x.T)
    assert (Tensor(x).size, Tensor(x).ndim) == (x.size, x.ndim)
    _same(Reversed(x), x.T)
    _same(Sized(x), np.asarray(np.float32(x.size + 0.5 * x.ndim)))


def test_an_old_opset_transposes_too() -> None:
    x = _array((2, 3))
    for outputs in run_model(Reversed.to_model_proto(input_types=[FLOAT[None, None]], opset=7), {"x": x}).values():
        _same(outputs[0], x.T)


def test_an_unknown_rank_is_reversed_whole() -> None:
    """`Transpose` without `perm` is what numpy does at any rank."""
    with pytest.warns(DiagnosticWarning):
        model = Reversed.to_model_proto()
    [node] = [node for node in model.graph.node if node.op_type == "Transpose"]
    assert not node.attribute


def test_sizes_that_are_declared_are_known() -> None:
    @script()
    def F(x: FLOAT[2, 3]):
        return op.Softmax(x, axis=x.size - 5), x.size

    operators = [node.op_type for node in F.to_function_proto(9).node]
    assert "Size" not in operators


def test_the_builder_has_them() -> None:
    b = GraphBuilder(opset=18)
    x, y = b.input("x", FLOAT[None, 3]), b.input("y", FLOAT[2])
    assert (x.ndim, y.size) == (2, 2)
    assert y.T.type == y.type
    b.output("a", x.T)
    b.output("b", x.T * x.size)
    model = b.to_model_proto()
    array = _array((2, 3))
    for outputs in run_model(model, {"x": array, "y": _array((2,))}).values():
        _same(outputs[0], array.T)
        _same(outputs[1], array.T * np.float32(6))


def test_what_is_no_tensor_has_none_of_them() -> None:
    @script()
    def OfNumber(x: FLOAT[None], n: int):
        return x * n.size

    @script()
    def OfSequence(x: FLOAT[None]):
        return op.SequenceConstruct(x).T

    @script()
    def OfAbsent(x: FLOAT[None], y: FLOAT[None] = None):
        return x + y.size

    for function, code in ((OfNumber, "OW304"), (OfSequence, "OW304"), (OfAbsent, "OW326")):
        assert isinstance(function, OnnxFunction)
        with pytest.raises(DiagnosticError) as raised:
            function.to_function_protos(18)
        assert [item.code for item in raised.value.diagnostics] == [code]
