"""What ONNX says of a finished model: its checker, and its inference of types and shapes."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, checker, shape_inference

from opwright.link.inline import call_id, function_id
from opwright.link.naming import FunctionId
from opwright.link.walk import all_nodes

MOST_NODES = 500_000  # that inference may visit: it enters a function at each of its calls, and they may double

_REFUSALS = (checker.ValidationError, shape_inference.InferenceError, DecodeError, ValueError, RuntimeError)


def checker_problem(model: ModelProto) -> str | None:
    """What onnx.checker has against a model, without inference."""
    try:
        checker.check_model(model)
    except _REFUSALS as error:
        return f"onnx.checker: {_first_lines(str(error))}"
    return None


def infer(model: ModelProto) -> tuple[GraphProto, str | None]:
    """The graph with the types that inference finds, and what it has against the model.

    It is as strict as onnx.checker's full check, so that is not done again. A model that is too large for it (see
    MOST_NODES) is given back as it is.
    """
    if _visited_nodes(model) > MOST_NODES:
        return model.graph, None
    try:
        return shape_inference.infer_shapes(model, check_type=True, strict_mode=True).graph, None
    except _REFUSALS as error:
        return model.graph, f"onnx.shape_inference: {_first_lines(str(error))}"


def _visited_nodes(model: ModelProto) -> int:
    """The nodes of the model as if every call were inlined. Functions stand in it callees first."""
    sizes: dict[FunctionId, int] = {}
    for function in model.functions:
        sizes[function_id(function)] = sum(1 + sizes.get(call_id(node), 0) for node in all_nodes(function.node))
    return sum(1 + sizes.get(call_id(node), 0) for node in all_nodes(model.graph.node))


def _first_lines(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())[:600]
