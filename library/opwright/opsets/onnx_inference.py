"""ONNX's own inference of types and shapes: a source of facts about a node, or about all that a model holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from google.protobuf.message import DecodeError
from onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TypeProto,
    checker,
    defs,
    helper,
    numpy_helper,
    shape_inference,
)

from opwright.opsets.records import SLICE


class Refused(Exception):
    """ONNX's inference does not take a node; the message is its reason."""


def infer_node(
    node: NodeProto,
    domain: str,
    imports: Mapping[str, int],
    types: Mapping[str, TypeProto],
    contents: Mapping[str, TensorProto] | None = None,
) -> dict[str, TypeProto]:
    """The types of what a node gives, by name, from those of what it takes; empty where nothing follows. `contents` are
    inputs whose elements are known. Raises Refused where no such node can be."""
    opsets = [helper.make_opsetid(name, version) for name, version in imports.items()]
    try:
        schema = defs.get_schema(node.op_type, imports.get(domain, 0), domain)
        found = shape_inference.infer_node_outputs(
            schema, node, dict(types), dict(contents or {}), opset_imports=opsets
        )
        return dict(found)
    except shape_inference.InferenceError as error:
        raise Refused(" ".join(str(error).split()).rpartition("Error] ")[2][:300]) from None  # without its kind
    except (checker.ValidationError, defs.SchemaError, ValueError, LookupError, RuntimeError):
        return {}  # about element types, of which one may stand for all, or attributes that others judge


def infer_model(model: ModelProto, data_prop: bool = False) -> GraphProto | None:
    """The graph of the model with the types that follow; None where inference fails. `data_prop`: through the elements
    of shapes, too."""
    try:
        return shape_inference.infer_shapes(model, data_prop=data_prop and _has_short_steps(model)).graph
    except (shape_inference.InferenceError, checker.ValidationError, DecodeError, ValueError, RuntimeError):
        return None  # DecodeError: what it infers nests deeper than protobuf reads


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
