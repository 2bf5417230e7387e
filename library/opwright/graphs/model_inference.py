"""ONNX's own inference of types and shapes: a source of facts about all that a model holds.

It merges what it finds of a value in a graph inside a node into the declared type of one around it that has the same
name, though the two are others. It is therefore asked of a model in which names tell values apart, and what it gives
has the names of the model again.
"""

from __future__ import annotations

from collections.abc import Iterable

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, checker, numpy_helper, shape_inference

from opwright.graphs.distinct_names import distinct_names
from opwright.graphs.node_columns import ColumnsOf
from opwright.graphs.walk import rename_values, subgraphs
from opwright.opsets.records import SLICE


def infer_model(model: ModelProto, data_prop: bool = False) -> GraphProto | None:
    """The graph of the model with the types that follow; None where inference fails. `data_prop`: through the elements
    of shapes, too."""
    try:
        return _infer(model, data_prop=data_prop and _has_short_steps(model))
    except (shape_inference.InferenceError, checker.ValidationError, DecodeError, ValueError, RuntimeError):
        return None  # DecodeError: what it infers nests deeper than protobuf reads


def infer_strictly(model: ModelProto) -> GraphProto:
    """What onnx.checker's full check infers. Raises what that raises."""
    return _infer(model, check_type=True, strict_mode=True)


def _infer(model: ModelProto, **options: bool) -> GraphProto:
    has_graphs = any(True for node in model.graph.node if node.attribute for _ in subgraphs(node))
    distinct, names = distinct_names(model, ColumnsOf()) if has_graphs else (model, {})
    graph = shape_inference.infer_shapes(distinct, **options).graph
    if names:
        rename_values(graph.node, lambda name: names.get(name, name))
    return graph


_LONGEST_STEP = 1 << 30


def _has_short_steps(model: ModelProto) -> bool:
    """Whether the steps of all slices are constants that 32 bits hold.

    ONNX goes through the elements of a shape with a number of 32 bits: it never ends with a step that they cut to 0,
    and reads beyond the elements with others.
    """
    steps: set[str] = set()
    constants: dict[str, list[TensorProto]] = {}
    pending: list[tuple[Iterable[TensorProto], Iterable[NodeProto]]] = [(model.graph.initializer, model.graph.node)]
    pending += (((), function.node) for function in model.functions)
    while pending:
        tensors, nodes = pending.pop()
        for tensor in tensors:
            constants.setdefault(tensor.name, []).append(tensor)
        for node in nodes:
            if SLICE.describes(node) and len(node.input) > 4 and node.input[4]:
                steps.add(node.input[4])
            for attribute in node.attribute:
                if attribute.HasField("t") and node.output:
                    constants.setdefault(node.output[0], []).append(attribute.t)
                graphs = [attribute.g] if attribute.HasField("g") else attribute.graphs
                pending += ((graph.initializer, graph.node) for graph in graphs)
    return all(name in constants and all(map(_is_short, constants[name])) for name in steps)


def _is_short(tensor: TensorProto) -> bool:
    try:
        return bool((abs(numpy_helper.to_array(tensor).astype(float)) < _LONGEST_STEP).all())
    except (ValueError, TypeError, RuntimeError, OSError):
        return False  # elsewhere, or damaged
