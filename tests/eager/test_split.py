"""`num_outputs` of Split says how many results there are, whether somebody unpacks them or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pytest
from opwright import FLOAT, DiagnosticError, GraphBuilder, script
from opwright import opset22 as op

X = np.arange(6, dtype=np.float32)
Row = FLOAT[6]


@script()
def whole(x: Row):
    return op.Split(x, num_outputs=3)


@script()
def after(x: Row):
    y = op.Abs(x)
    return op.Split(y, num_outputs=3)


@script()
def item(x: Row):
    parts = op.Split(x, num_outputs=3)
    return parts[1] * 2


@script()
def run_over(x: Row):
    total = x[:2] * 0
    for part in op.Split(x, num_outputs=3):
        total = total + part
    return total


@script()
def starred(x: Row):
    _, *rest = op.Split(x, num_outputs=3)
    return rest[1]


@script()
def attribute(x: Row, n: int = 3):
    return op.Split(x, num_outputs=n)


@script()
def unpacked(x: Row):
    _, two, _ = op.Split(x, num_outputs=3)
    return two


@script()
def too_few(x: Row):
    one, two = op.Split(x, num_outputs=3)
    return one + two


def compiled(function: Any) -> list[Any]:
    model = function.to_model_proto(opset=22).SerializeToString()
    return list(onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, {"x": X}))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (whole, [[0, 1], [2, 3], [4, 5]]),
        (after, [[0, 1], [2, 3], [4, 5]]),
        (item, [[4, 6]]),
        (run_over, [[6, 9]]),
        (starred, [[4, 5]]),
        (attribute, [[0, 1], [2, 3], [4, 5]]),
        (unpacked, [[2, 3]]),
    ],
)
def test_as_many_as_it_says(function: Any, expected: list[list[float]]) -> None:
    found = function(X)
    assert [part.tolist() for part in (found if isinstance(found, tuple) else (found,))] == expected
    assert [part.tolist() for part in compiled(function)] == expected


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (lambda: too_few(X), "OW328"),
        (lambda: compiled(too_few), "OW328"),
        (lambda: attribute.to_function_proto(), "OW324"),
    ],
)
def test_another_number_is_refused(step: Callable[[], Any], code: str) -> None:
    with pytest.raises(DiagnosticError, match=code):
        step()


def test_in_a_graph_that_is_built() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N"])
    parts = op.Split(x, num_outputs=3)
    b.output("y", parts[1] * 2)
    assert b.run(parts[1] * 2, x=X).tolist() == [4, 6]
    model = b.to_model_proto().SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    assert session.run(None, {"x": X})[0].tolist() == [4, 6]
