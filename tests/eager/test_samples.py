"""The published functions in eager mode: what their models give."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto
from opwright import BOOL, FLOAT
from opwright.eager import strict, whole_functions

from tests.functions import test_samples as samples

RANDOM = np.random.default_rng(0)


def run(model: ModelProto, *arrays: Any) -> list[Any]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    found: list[Any] = session.run(None, dict(zip([item.name for item in session.get_inputs()], arrays, strict=True)))
    return found


def test_gelu() -> None:
    x = np.array([-2, -1, 0, 0.5, 3], np.float32)
    (expected,) = run(samples.gelu.to_model_proto(input_types=[FLOAT["N"]]), x)
    np.testing.assert_array_equal(samples.gelu(x), expected)


def test_ten_chunks_of_48_numbers() -> None:
    found = samples.ten_chunks(np.arange(48, dtype=np.float32))
    assert [len(part) for part in found] == [5] * 9 + [3]


def test_running_sum() -> None:
    for kind in (np.float32, np.int64, np.float64):
        found = samples.running_sum(np.arange(5, dtype=kind))
        assert found.dtype == kind
        assert found.tolist() == [0, 1, 3, 6, 10]


def test_a_function_in_a_domain_of_its_own() -> None:
    arrays = [RANDOM.standard_normal(shape, np.float32) for shape in ((64, 128), (128, 10), (10,))]
    found = samples.linear_then_hardmax(*arrays)
    np.testing.assert_array_equal(found, run(samples.linear_then_hardmax.to_model_proto(), *arrays)[0])


def test_gemm_with_gelu() -> None:
    arrays = [RANDOM.standard_normal(shape, np.float32) for shape in ((2048, 16), (16, 8), (8,))]
    (expected,) = run(samples.gemm_gelu.to_model_proto(), *arrays)
    np.testing.assert_allclose(samples.gemm_gelu(*arrays), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("training", [False, True])
def test_dropout(training: bool) -> None:
    x = np.arange(1, 101, dtype=np.float32)
    output, mask = samples.dropout(x, np.float32(0.25), training, seed=2)
    assert mask.dtype == bool
    np.testing.assert_allclose(output, np.where(mask, x, 0) / (0.75 if training else 1), rtol=1e-6)
    if training:
        model = samples.dropout.to_model_proto(input_types=[FLOAT["N"], FLOAT, BOOL], seed=2.0)
        expected, _ = run(model, x, np.array(0.25, np.float32), np.array(training))
        np.testing.assert_array_equal(output, expected)  # the same seed, the same numbers


def test_the_same_as_whole_functions() -> None:
    arrays = [RANDOM.standard_normal(shape, np.float32) for shape in ((64, 128), (128, 10), (10,))]
    for function, given in (
        (samples.gelu, arrays[:1]),
        (samples.linear_then_hardmax, arrays),
        (samples.gemm_gelu, [RANDOM.standard_normal(shape, np.float32) for shape in ((2048, 16), (16, 8), (8,))]),
        (samples.running_sum, [arrays[2]]),
    ):
        with whole_functions(False):
            expected = function(*given)
        with whole_functions():
            for _ in range(5):
                np.testing.assert_array_equal(function(*given), expected, strict=True)


def test_strict_mode_takes_them() -> None:
    with strict():
        assert samples.gelu(np.zeros(2, np.float32)).tolist() == [0, 0]
        assert samples.running_sum(np.ones(3, np.float32)).tolist() == [1, 2, 3]
        assert math.isclose(samples.ten_chunks(np.ones(48, np.float32))[9].sum(), 3)
