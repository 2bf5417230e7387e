"""Compiles the examples of a page as a reader would, and runs them everywhere."""

from __future__ import annotations

import collections.abc
import inspect
import linecache
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_origin

import numpy as np
import onnx
import onnxruntime
import opwright
from onnx import ModelProto, NodeProto
from onnx.inliner import inline_local_functions
from onnx.reference import ReferenceEvaluator
from opwright import OnnxFunction
from opwright.eager import whole_functions
from opwright.elements import BY_CODE, ElementType

from tests.docs.pages import Expectation

OPSET = 18
LEVELS = (
    onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
)


def define(header: str, text: str, name: str) -> OnnxFunction:
    """Runs an example's text; gives the function F that it defines. `name` is what places in it are shown under."""
    source = header + text
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "example"}
    exec(compile(source, name, "exec", dont_inherit=True), namespace)
    function = namespace["F"]
    assert isinstance(function, OnnxFunction)
    return function


def operators_of(protos: Iterable[onnx.FunctionProto]) -> set[str]:
    """The names of all operators, those in graphs included; calls of other domains with their domain."""
    found: set[str] = set()
    pending: list[NodeProto] = [node for proto in protos for node in proto.node]
    while pending:
        node = pending.pop()
        found.add(f"{node.domain}.{node.op_type}" if node.domain else node.op_type)
        pending += (inner for attribute in node.attribute for inner in attribute.g.node)
    return found


def run_model(model: ModelProto, feeds: Mapping[str, np.ndarray]) -> dict[str, list[Any]]:
    """What the model gives on onnxruntime without and with optimisation, and on the reference evaluator."""
    results: dict[str, list[Any]] = {}
    onnx.checker.check_model(model)
    for level in LEVELS:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        results[level.name] = session.run(None, dict(feeds))
    results["reference"] = ReferenceEvaluator(inline_local_functions(model)).run(None, dict(feeds))
    return results


def give(function: OnnxFunction, expectation: Expectation) -> dict[str, list[Any]]:
    """The outputs of a call by who ran it: the model on each runtime, the function as Python and as a whole."""
    model, feeds = model_of(function, expectation, OPSET)
    results = run_model(model, feeds)
    signature = inspect.signature(function.__wrapped__)
    bound = signature.bind(*expectation.arguments, **dict(expectation.keywords))
    bound.arguments.update(_split(signature, bound.arguments)[0])
    with whole_functions(False):
        eager = function(*bound.args, **bound.kwargs)
    with whole_functions():
        for _ in range(4):  # from the third on, or the third with these sizes, it runs as one graph, where it can
            function(*bound.args, **bound.kwargs)
        whole = function(*bound.args, **bound.kwargs)
    results["eager"], results["whole"] = (list(item) if isinstance(item, tuple) else [item] for item in (eager, whole))
    return results


def model_of(function: OnnxFunction, expectation: Expectation, opset: int) -> tuple[ModelProto, dict[str, np.ndarray]]:
    """The model for a call, of the ranks and attributes that are given there, and what it is fed."""
    signature = inspect.signature(function.__wrapped__)
    bound = signature.bind(*expectation.arguments, **dict(expectation.keywords))
    tensors, attributes = _split(signature, bound.arguments)
    types = {name: _type_of(value) for name, value in tensors.items() if value is not None}
    model = function.to_model_proto(input_types=types, opset=opset, **attributes)
    fed = {item.name for item in model.graph.input}
    return model, {name: value for name, value in tensors.items() if value is not None and name in fed}


def _split(signature: inspect.Signature, bound: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The arguments as arrays of the annotated types, and the attributes, by the names of parameters."""
    tensors: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for name, value in bound.items():
        annotation = signature.parameters[name].annotation
        if annotation in (int, float, str, bool) or get_origin(annotation) in (Literal, collections.abc.Sequence):
            attributes[name] = value
        else:
            tensors[name] = None if value is None else _array(value, getattr(annotation, "dtype", None))
    return tensors, attributes


def _array(value: object, dtype: ElementType | None) -> np.ndarray:
    if dtype is None:
        array = np.array(value)
        return array.astype(np.float32) if array.dtype == np.float64 else array
    return np.array(value, onnx.helper.tensor_dtype_to_np_dtype(dtype.code))


def _type_of(array: np.ndarray) -> type:
    code = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
    tensor_type = getattr(opwright, BY_CODE[code].name.upper())
    return tensor_type[tuple(None for _ in array.shape)] if array.ndim else tensor_type
