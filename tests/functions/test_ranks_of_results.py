"""The ranks of what functions return that declare none: those of the arguments that they follow from."""

from __future__ import annotations

import warnings

import numpy as np
import onnxruntime
import pytest
from opwright import FLOAT, INT64, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError


@script()
def scaled(x, k: float = 2.0):
    return x * k


@script()
def shifted(x, y=None):
    z = scaled(x) + 1 if op.ReduceSum(x) > 0 else x
    return z if y is None else z + op.ReduceMax(y, keepdims=0)


@script()
def with_axis(x):
    return op.Unsqueeze(x, [0])


def test_a_result_has_the_rank_of_the_argument_that_it_follows() -> None:
    @script()
    def F(x: FLOAT["M", "N"], y: FLOAT["K"], n: INT64):
        for _ in range(n):
            x = shifted(scaled(x), y)
        assert x.rank == 2
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = F.to_model_proto()
    assert len(model.graph.output[0].type.tensor_type.shape.dim) == 2
    x, y = np.ones((2, 3), np.float32), np.ones(4, np.float32)
    for trips in (0, 2):
        wanted = F(x, y, np.int64(trips))
        (found,) = onnxruntime.InferenceSession(model.SerializeToString()).run(
            None, {"x": x, "y": y, "n": np.array(trips)}
        )
        np.testing.assert_array_equal(found, np.asarray(wanted))


def test_a_result_of_another_rank_is_not_taken_for_one_of_the_same() -> None:
    @script()
    def F(x: FLOAT["N"]):
        y = with_axis(x)
        return y if y.rank == 1 else op.Neg(y)

    with pytest.raises(DiagnosticError, match="OW360"):
        F.to_model_proto()


def test_a_question_about_the_rank_of_a_result_is_one_about_the_parameter() -> None:
    @script()
    def F(x: FLOAT[...]):
        y = scaled(x) + 1
        return y if y.rank == 1 else op.Flatten(y)

    assert [proto.name for proto in F.to_function_protos()] == ["F__x_rank_1", "F__x_rank_other"]
