"""Failures of compiled models, at the lines of the functions that they were made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, INT64, explain_failures, script
from opwright import opset18 as op
from opwright.diagnostics.diagnostic import DiagnosticError

from tests.debugging import shaping

A, B, C, P = "A", "B", "C", "P"


@script()
def shifted(x: FLOAT[A, B], y: FLOAT[C]):
    z = op.Relu(x)
    return z + y  # fails: Add


@script()
def flat(x: FLOAT[A, B], y: FLOAT[C], shape: INT64[1]) -> FLOAT[P]:
    moved = shifted(x, y)
    result = shaping.reshaped(moved, shape) if op.ReduceSum(moved) > 0 else op.Reshape(moved, [-1])
    return result * 2


X = np.ones((2, 3), np.float32)
Inputs = dict[str, np.ndarray[Any, Any]]
Runtime = Callable[[onnx.ModelProto, Inputs], Any]


def on_onnxruntime(level: ort.GraphOptimizationLevel) -> Runtime:
    def run(model: onnx.ModelProto, inputs: Inputs) -> Any:
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.graph_optimization_level, options.log_severity_level = level, 4
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, inputs)

    return run


RUNTIMES = {
    "ort": on_onnxruntime(ort.GraphOptimizationLevel.ORT_DISABLE_ALL),
    "ort-full": on_onnxruntime(ort.GraphOptimizationLevel.ORT_ENABLE_ALL),
    "reference": lambda model, inputs: ReferenceEvaluator(model).run(None, inputs),
}


def line_of(text: str, file: str = __file__) -> int:
    with open(file, encoding="utf-8") as lines:
        return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.fixture(scope="module", params=[None, ()], ids=["functions", "inlined"])
def model(request: pytest.FixtureRequest) -> onnx.ModelProto:
    return flat.to_model_proto(places=True, functions=request.param)


@pytest.mark.parametrize("runtime", list(RUNTIMES))
def test_a_failure_has_the_line_of_the_function(model: onnx.ModelProto, runtime: str) -> None:
    for inputs, operator, file, line in (
        ((np.ones(2, np.float32), [6]), "Add", "test_failures.py", line_of("# fails: Add")),
        ((np.ones(3, np.float32), [7]), "Reshape", "shaping.py", line_of("op.Reshape", shaping.__file__)),
    ):
        given = {"x": X, "y": inputs[0], "shape": np.array(inputs[1])}
        with pytest.raises(DiagnosticError) as caught, explain_failures(model), np.errstate(all="ignore"):
            RUNTIMES[runtime](model, given)
        (found,) = caught.value.diagnostics
        assert found.code == "OW373"
        assert found.subject == operator
        assert found.place is not None
        assert (found.place.file.rpartition("/")[2], found.place.line) == (file, line)
        assert found.related == ()
        assert found.reason
        assert caught.value.__cause__ is not None


def test_the_same_results_and_bytes_as_without_places(model: onnx.ModelProto) -> None:
    given = {"x": X, "y": np.ones(3, np.float32), "shape": np.array([6])}
    plain = flat.to_model_proto()
    for run in RUNTIMES.values():
        np.testing.assert_array_equal(run(model, given)[0], run(plain, given)[0])
    onnx.checker.check_model(model, full_check=True)
    assert not any(node.metadata_props or node.name for node in plain.graph.node)
    assert flat.to_model_proto().SerializeToString() == plain.SerializeToString()


def test_what_does_not_say_which_node_stays_what_it_is(model: onnx.ModelProto) -> None:
    with pytest.raises(ValueError, match="no such input"), explain_failures(model):
        raise ValueError("no such input")


def test_nodes_of_one_place_have_names_of_their_own(model: onnx.ModelProto) -> None:
    @script()
    def twice(x: FLOAT[A]):
        for _ in range(2):
            x = x + x.shape[0]
        return x

    made = twice.to_model_proto(places=True)
    names = [node.name for node in made.graph.node if node.name]
    assert len(set(names)) == len(names)
    ort.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
