"""What ONNX says of a finished model: its checker, and its inference of types and shapes."""

from __future__ import annotations

from functools import cache

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, TypeProto, checker, defs, shape_inference

from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_nodes
from opwright.model.open_nodes import with_completed_nodes
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import signature

MOST_NODES = 500_000  # that inference may visit: it enters a function at each of its calls, and they may double

_REFUSALS = (checker.ValidationError, shape_inference.InferenceError, DecodeError, ValueError, RuntimeError)


def checker_problem(model: ModelProto) -> str | None:
    """What onnx.checker has against a model, without inference."""
    try:
        checker.check_model(model)
    except _REFUSALS as error:
        return f"onnx.checker: {_first_lines(str(error))}"
    return None


def with_ranks(model: ModelProto) -> ModelProto:
    """The model as onnx.checker takes it, which wants a shape of all that goes in and out: those without one are given
    some. That is for the checker without inference, which asks of a shape only that there is one. The model itself
    where nothing lacks one."""
    if not any(_lacks_rank(item.type) for item in (*model.graph.input, *model.graph.output)):
        return model
    made = ModelProto()
    made.CopyFrom(model)
    for value in (*made.graph.input, *made.graph.output):
        if _lacks_rank(value.type):
            value.type.tensor_type.shape.SetInParent()
    return made


def _lacks_rank(type_: TypeProto) -> bool:
    return type_.HasField("tensor_type") and not type_.tensor_type.HasField("shape")


def infer(model: ModelProto) -> tuple[GraphProto, str | None]:
    """The graph with the types that inference finds, and what it has against the model.

    It is as strict as onnx.checker's full check, so that is not done again; but where onnx does not infer what an
    operator gives it takes what follows from that for wrong, so that it is not asked what is. A model that is too large
    for it (see MOST_NODES) is given back as it is. What it refuses because it knows too little is no problem (see
    `open_nodes`).
    """
    if _visited_nodes(model) > MOST_NODES:
        return model.graph, None
    strict = has_inference(model)
    try:
        return shape_inference.infer_shapes(model, check_type=strict, strict_mode=strict).graph, None
    except _REFUSALS as error:
        problem = _first_lines(str(error))
    if strict:
        completed = with_completed_nodes(model)
        if completed is not None:
            try:
                shape_inference.infer_shapes(completed, check_type=True, strict_mode=True)
                return shape_inference.infer_shapes(model).graph, None
            except _REFUSALS as error:
                problem = _first_lines(str(error))
    return model.graph, f"onnx.shape_inference: {problem}"


def has_inference(model: ModelProto) -> bool:
    """Whether onnx infers the types of what each operator gives, or has a body for it, or the model does."""
    functions = {function_id(function) for function in model.functions}
    bodies = [(model.opset_import, model.graph.node)]
    bodies += [(function.opset_import, function.node) for function in model.functions]
    for imported, nodes in bodies:
        imports = {item.domain: item.version for item in imported}
        for domain, name, overload in {(node.domain, node.op_type, node.overload) for node in all_nodes(nodes)}:
            if (domain, name, overload) not in functions and not _is_inferred(domain, name, imports.get(domain, 1)):
                return False
    return True


@cache
def _is_inferred(domain: str, name: str, version: int) -> bool:
    """Operators of ai.onnx.ml are in part described without inference: `Scaler`, `Normalizer`, `LinearRegressor`."""
    found = signature(domain, name, version)
    if found is None or not normal_domain(domain):
        return found is not None
    return defs.get_schema(name, found.since_version, domain).has_type_and_shape_inference_function


def _visited_nodes(model: ModelProto) -> int:
    """The nodes of the model as if every call were inlined. Functions stand in it callees first."""
    sizes: dict[FunctionId, int] = {}
    for function in model.functions:
        sizes[function_id(function)] = sum(1 + sizes.get(call_id(node), 0) for node in all_nodes(function.node))
    return sum(1 + sizes.get(call_id(node), 0) for node in all_nodes(model.graph.node))


def _first_lines(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())[:600]
