"""What ONNX says of a finished model: its checker, and its inference of types and shapes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, TypeProto, checker, defs, inliner, shape_inference

from opwright.model.open_nodes import with_completed_nodes
from opwright.model.survey import Survey
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import signature

MOST_NODES = 500_000  # that inference may visit: it enters a function at each of its calls, and they may double
# Inference looks at all functions of a model at each call of one. To put the calls' bodies in their places takes as
# long as so many looks for each node.
MOST_LOOKS = 25
MOST_INLINED = 100_000  # nodes
LARGEST_WHOLE = 500  # nodes: as many as a part has (see `inferred_parts`)

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


def infer(model: ModelProto, survey: Survey) -> tuple[dict[str, TypeProto], str | None]:
    """The types of outputs that inference finds, and what it has against the model; `survey` is of it.

    It is as strict as onnx.checker's full check, so that is not done again; but where onnx does not infer what an
    operator gives it takes what follows from that for wrong, so that it is not asked what is. Of a model that is too
    large for it (see MOST_NODES) nothing is found. What it refuses because it knows too little is no problem (see
    `open_nodes`).
    """
    visited = survey.visited_nodes()
    if visited > MOST_NODES:
        return {}, None
    strict = has_inference(survey)
    inlined = _inlined(model, survey.calls() * len(survey.functions), visited) if strict else None
    if inlined is not None:
        try:
            return _outputs(inlined, strict=True), None
        except _REFUSALS:
            pass  # what it has against the model itself is said of its calls
    try:
        return _outputs(model, strict), None
    except _REFUSALS as error:
        problem = _first_lines(str(error))
    if strict:
        completed = with_completed_nodes(model)
        if completed is not None:
            try:
                _outputs(completed, strict=True)
                return _outputs(model, strict=False), None
            except _REFUSALS as error:
                problem = _first_lines(str(error))
    return {}, f"onnx.shape_inference: {problem}"


def _outputs(model: ModelProto, strict: bool) -> dict[str, TypeProto]:
    """The types of the outputs. Raises what inference has against the model, as a whole."""
    return {value.name: value.type for graph in _graphs(model, partial(_infer, strict)) for value in graph.output}


def _graphs(model: ModelProto, infer_graph: Callable[[ModelProto], GraphProto]) -> list[GraphProto]:
    """The graph with the types that inference finds; of a large one its parts."""
    if len(model.graph.node) > LARGEST_WHOLE:
        from opwright.link.inferred_parts import inferred_graphs  # which few models need

        with suppress(*_REFUSALS):
            return [*inferred_graphs(model, infer_graph)]
    return [infer_graph(model)]


def _infer(strict: bool, model: ModelProto) -> GraphProto:
    return shape_inference.infer_shapes(model, check_type=strict, strict_mode=strict).graph


def _inlined(model: ModelProto, looks: int, visited: int) -> ModelProto | None:
    """The model without calls, of which inference finds the same in time that grows with the model; None where that is
    not sooner, and where defaults of their attributes would be lost."""
    if looks <= MOST_LOOKS * visited or visited > MOST_INLINED:
        return None
    if any(function.attribute_proto or function.overload for function in model.functions):
        return None
    try:
        return inliner.inline_local_functions(model)
    except _REFUSALS:
        return None


def has_inference(survey: Survey) -> bool:
    """Whether onnx infers the types of what each operator gives, or has a body for it, or the model does."""
    functions = {*survey.functions}
    return all(
        kind in functions or _is_inferred(kind[0], kind[1], imports.get(kind[0], 1))
        for imports, kinds in survey.bodies
        for kind in kinds
    )


@cache
def _is_inferred(domain: str, name: str, version: int) -> bool:
    """Operators of ai.onnx.ml are in part described without inference: `Scaler`, `Normalizer`, `LinearRegressor`."""
    found = signature(domain, name, version)
    if found is None or not normal_domain(domain):
        return found is not None
    return defs.get_schema(name, found.since_version, domain).has_type_and_shape_inference_function


def _first_lines(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines() if line.strip())[:600]
