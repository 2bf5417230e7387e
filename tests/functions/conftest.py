"""Running what functions under `@script` become."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator

sys.path.insert(0, str(Path(__file__).parent))

Outputs = list[Any]
RunModel = Callable[..., Outputs]


@pytest.fixture
def run_model() -> RunModel:
    """Checks a model, runs it on onnxruntime without and with optimisation and on the reference evaluator, and gives
    what all three agree on. `reference=False`: that one cannot run it."""
    return _run


def _run(model: onnx.ModelProto, *arrays: Any, reference: bool = True) -> Outputs:
    onnx.checker.check_model(model, full_check=True)
    feeds = {value.name: np.asarray(array) for value, array in zip(model.graph.input, arrays, strict=True)}
    results = []
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        results.append(session.run(None, feeds))
    if reference:
        results.append(ReferenceEvaluator(inline_local_functions(model)).run(None, feeds))
    for other in results[1:]:
        for one, another in zip(results[0], other, strict=True):
            _assert_same(one, another)
    return results[0]


def _assert_same(one: Any, other: Any) -> None:
    if isinstance(one, list):
        assert len(one) == len(other)
        for item, another in zip(one, other, strict=True):
            _assert_same(item, another)
        return
    assert np.asarray(one).dtype == np.asarray(other).dtype
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
