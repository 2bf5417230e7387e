"""Arrays of numpy and ranges for attributes: their items, in eager mode, under `@script` and in a builder."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from onnxruntime import InferenceSession
from opwright import FLOAT, INT64, DiagnosticError, GraphBuilder, Tensor, script
from opwright import opset22 as op

X = np.arange(6, dtype=np.float32).reshape(2, 3)
TURNED, SLOPE = np.array([1, 0]), np.array(0.5)
DOWN, TABLE, ENDLESS = range(1, -1, -1), {"pair": [range(2)]}, range(10**30)


@script()
def captured(x: FLOAT["N", 3]):
    return op.Transpose(op.LeakyRelu(x, alpha=SLOPE), perm=TURNED), op.Transpose(x, perm=range(1, -1, -1))


@script()
def passed_on(x: FLOAT["N", 3], perm: tuple[int, ...] = (0, 1)):
    return op.Transpose(x, perm=perm)


@script()
def of_ranges(x: FLOAT["N", 3]):
    for i in DOWN:
        x = x + TABLE["pair"][0][i] * 2.0 + len(DOWN)
    return op.Transpose(x, perm=DOWN), x + sum(DOWN) * 2.0


@script()
def endless(x: FLOAT["N", 3]):
    return x + ENDLESS[7]


def new() -> Any:
    return GraphBuilder(22).input("x", FLOAT[2, 3])


@pytest.mark.parametrize("perm", [TURNED, TURNED.astype(np.int32), TURNED[::-1][::-1], range(1, -1, -1)])
@pytest.mark.parametrize("function", [op.Transpose, passed_on])
def test_arrays_and_ranges_are_lists(function: Any, perm: Any) -> None:
    assert np.array_equal(function(Tensor(X), perm=perm).numpy(), X.T)
    assert np.array_equal(function(Tensor(X), perm=perm[::-1]).numpy(), X)  # what one call does is not kept for all
    x = new()
    assert np.array_equal(x.builder.run(function(x, perm=perm), x=X), X.T)


def test_captured_arrays_are_attributes() -> None:
    turned = captured.to_model_proto(opset=22).graph.node
    assert [list(node.attribute[0].ints) for node in turned if node.op_type == "Transpose"] == [[1, 0]] * 2
    assert all(np.array_equal(found, X.T) for found in captured(X))


def test_captured_ranges_are_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for down in (DOWN, range(2)):
        monkeypatch.setattr(sys.modules[__name__], "DOWN", down)
        found = InferenceSession(of_ranges.to_model_proto(opset=22).SerializeToString()).run(None, {"x": X})
        assert all(map(np.array_equal, found, of_ranges(X)))
        runs.append(found[0].shape)
    assert runs == [(3, 2), (2, 3)]


def test_a_captured_range_has_a_length() -> None:
    with pytest.raises(DiagnosticError, match="OW311: `ENDLESS` is too large"):
        endless.to_model_proto(opset=22)


def test_models_and_arrays_of_texts_and_of_rank_0() -> None:
    (node,) = passed_on.to_model_proto(opset=22, perm=TURNED).graph.node
    assert list(node.attribute[0].ints) == [1, 0]
    assert op.Constant(value_strings=np.array(["a", "b"])).numpy().tolist() == ["a", "b"]
    assert op.LeakyRelu(Tensor(-X), alpha=SLOPE).numpy().tolist() == (-X / 2).tolist()
    x = new()
    assert x.builder.run(op.LeakyRelu(x, alpha=SLOPE), x=-X).tolist() == (-X / 2).tolist()


@pytest.mark.parametrize("perm", [np.array([True, False]), np.array([1.0, 0.0]), np.array([[1, 0]])])
@pytest.mark.parametrize("function", [op.Transpose, passed_on])
def test_other_items_are_refused(function: Any, perm: Any) -> None:
    for x in (Tensor(X), new()):
        with pytest.raises(DiagnosticError, match="OW207"):
            function(x, perm=perm)


@pytest.mark.parametrize("function", [op.Transpose, passed_on])
def test_tensors_and_masked_arrays_are_refused(function: Any) -> None:
    with pytest.raises(DiagnosticError, match="OW324"):
        function(Tensor(X), perm=Tensor(TURNED))
    with pytest.raises(DiagnosticError, match="OW354"):
        passed_on.to_model_proto(opset=22, perm=np.ma.array([1, 0]))
    x = new()
    with pytest.raises(DiagnosticError, match="OW324"):
        function(x, perm=x.builder.input("perm", INT64[2]))
    for value in (Tensor(X), x):
        with pytest.raises(DiagnosticError, match="OW325"):
            function(value, perm=np.ma.array([1, 0]))
