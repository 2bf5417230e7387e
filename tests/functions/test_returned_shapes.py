"""A shape is a tuple, and a tuple that a function returns is several outputs, as where it runs as Python."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, script
from opwright import opset18 as op
from opwright.diagnostics import DiagnosticError
from opwright.functions import OnnxFunction

X = np.ones((2, 3), np.float32)


@script()
def whole(x: FLOAT["N", 3]):
    return x.shape


@script()
def part(x: FLOAT["N", 3]):
    return x.shape[:1]


@script()
def on_one_path(x: FLOAT["N", 3]):
    if op.ReduceSum(x, keepdims=0) > 0:
        return x.shape
    return 1, 2


@script()
def beside_a_tensor(x: FLOAT["N", 3]):
    return x, x.shape


@script()
def of_any_rank(x: FLOAT[...]):
    return x.shape


@pytest.mark.parametrize("function", [whole, part, on_one_path, beside_a_tensor], ids=lambda function: function.name)
def test_eager_and_compiled_agree(function: OnnxFunction, run_model) -> None:
    results = function(X)
    results = results if isinstance(results, tuple) else (results,)
    outputs = run_model(function.to_model_proto(), X)
    assert len(results) == len(outputs)
    for one, other in zip(results, outputs, strict=True):
        np.testing.assert_array_equal(one, other)


def test_how_many_outputs_there_are_must_be_known() -> None:
    with pytest.raises(DiagnosticError, match=r"x\.rank"):
        of_any_rank.to_function_proto()
    assert len(of_any_rank.to_function_proto(variant={"x.rank": 3}).output) == 3
