"""A function of either side, run on onnxruntime as a model of one node that calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import helper

from tests.peer.inputs import Case, Value

OPSET = 18


def run_function(proto: onnx.FunctionProto, case: Case, level: ort.GraphOptimizationLevel) -> Sequence[Any] | str:
    """The outputs of a model of one node that calls the function, or why onnxruntime does not give them."""
    inputs = [name if case.inputs.get(name) is not None else "" for name in proto.input]
    node = helper.make_node(
        proto.name, inputs, list(proto.output), domain=proto.domain, overload=proto.overload, **case.attributes
    )
    given = {name: value for name, value in case.inputs.items() if value is not None}
    outputs = [onnx.ValueInfoProto(name=name) for name in proto.output]
    graph = helper.make_graph([node], "call", [_declared(name, value) for name, value in given.items()], outputs)
    opset = next((item.version for item in proto.opset_import if not item.domain), OPSET)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid(proto.domain, 1)]
    model = helper.make_model(graph, functions=[proto], opset_imports=imports, ir_version=10)
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    ort.set_seed(1)
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        found: list[Any] = session.run(None, given)
        return found
    except Exception as error:  # onnxruntime's own errors have no common class
        return f"{type(error).__name__}: {error}"


def _declared(name: str, value: Value) -> onnx.ValueInfoProto:
    if isinstance(value, list):
        element = helper.np_dtype_to_tensor_dtype(value[0].dtype)
        return helper.make_tensor_sequence_value_info(name, element, None)
    assert value is not None
    dims = [f"{name}_{axis}" for axis in range(value.ndim)]
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), dims)


def same(found: Any, expected: Any, loose: float = 0.0) -> bool:
    """Whether two results are one, up to roundings; `loose` where more than the usual ones are admitted."""
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(same, found, expected))
    found, expected = np.asarray(found), np.asarray(expected)
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    if found.dtype.kind != "f":
        return bool((found == expected).all())
    # In double the peer has rounded its constants to float32 before.
    tolerance = max(loose, {"float16": 2e-3, "float32": 2e-6, "float64": 2e-7}[found.dtype.name])
    return np.allclose(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)
