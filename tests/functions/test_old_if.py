"""Below opset 11 an `If` gives one shape, and runtimes take it from either branch: neither says a size that the other
may not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from opwright import FLOAT, OnnxFunction, opset10, script

RunModel = Callable[..., list[Any]]
op = opset10


@script()
def early_return(x: FLOAT["N"]) -> FLOAT["N"]:
    y = x
    for k in (1, 2, 3):
        y = y + k
        if op.ReduceSum(y, keepdims=0) > 5:
            return y
        y = y * 2
    return -y


@script()
def one_or_many(x: FLOAT["N"]) -> FLOAT["M"]:
    if op.ReduceSum(x, keepdims=0) > 5:
        total = op.ReduceSum(x, keepdims=0)
        y = op.Reshape(total, [1])
    else:
        y = x + 1
    return y * 2


@script()
def one_or_two(x: FLOAT[2]) -> FLOAT["M"]:
    if op.ReduceSum(x, keepdims=0) > 5:
        total = op.ReduceSum(x, keepdims=0)
        y = op.Reshape(total, [1])
    else:
        y = x + 1
    return y * 2


@pytest.mark.parametrize("opset", [9, 10, 11])
@pytest.mark.parametrize("function", [early_return, one_or_many, one_or_two], ids=lambda item: str(item.name))
def test_branches_of_other_sizes(run_model: RunModel, function: OnnxFunction, opset: int) -> None:
    model = function.to_model_proto(opset=opset)
    for values in ([1, 1], [-1, -2], [0.5, 0.1], [3, 4], [-1, -2.5]):
        x = np.array(values, np.float32)
        np.testing.assert_allclose(run_model(model, x)[0], function(x), rtol=1e-6)


def test_an_if_of_opset_11_needs_nothing() -> None:

    (node,) = [item for item in one_or_many.to_model_proto(opset=11).graph.node if item.op_type == "If"]
    inside = [item.op_type for attribute in node.attribute for item in attribute.g.node]
    assert "Shape" not in inside
