"""Calls of scripts that leave out their last inputs."""

from __future__ import annotations

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def either(x, low=None):
    return op.Max(x, low)


@script()
def of_one(x: FLOAT[3]) -> FLOAT[3]:
    return either(x)


@script()
def of_both(x: FLOAT[3], y: FLOAT[3]) -> FLOAT[3]:
    return either(x, y)


def test_an_input_that_only_some_calls_give() -> None:
    (call,) = of_one.to_model_proto().graph.node
    assert list(call.input) == ["x", ""]
    (call,) = of_both.to_model_proto().graph.node
    assert list(call.input) == ["x", "y"]
