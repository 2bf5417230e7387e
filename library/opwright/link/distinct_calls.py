"""What onnxruntime is to load of a model to judge it: one call of each kind.

It puts the bodies of functions in the place of their calls, and takes time for that which grows with the square of the
nodes: minutes for a model of some ten thousand. Calls of one function with equal attributes on inputs of equal types
are all taken, or none is; so one of them stands for all, and what the others give is an input of the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import prod

from onnx import ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto

from opwright.elements import BY_CODE
from opwright.graphs.ids import call_id, function_id
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.opsets.onnx_inference import infer_model
from opwright.opsets.records import CONSTANT

# Elements of a tensor that may decide sizes: of integers, which are axes and shapes, and of others, such as scales.
_INTEGERS, _OTHERS = 512, 6


def with_distinct_calls(model: ModelProto) -> ModelProto:
    """The model without those calls in its graph that are like an earlier one; itself where there are none.

    A call stays where it gives an output of the model, where something of it has no type that ONNX finds, and where
    another node has its name, which is a fault.
    """
    functions = {function_id(function) for function in model.functions}
    calls = Counter(call_id(node) for node in model.graph.node) if functions else Counter()
    if not any(calls[identity] > 1 for identity in functions):
        return model
    inferred = infer_model(model)
    if inferred is None:
        return model
    types = {value.name: value for value in (*inferred.input, *inferred.value_info, *inferred.output)}
    contents = _contents(model)
    names = Counter(node.name for node in model.graph.node if node.name)
    outputs = {value.name for value in model.graph.output}
    seen: set[object] = set()
    left_out: dict[str, ValueInfoProto] = {}
    kept: list[NodeProto] = []
    for node in model.graph.node:
        kind = _kind(node, types, contents) if call_id(node) in functions else None
        given = [name for name in node.output if name]
        if kind is None or kind not in seen or names[node.name] > 1 or not outputs.isdisjoint(given):
            seen.add(kind)
            kept.append(node)
        elif all(name in types and types[name].type.WhichOneof("value") for name in given):
            left_out.update((name, types[name]) for name in given)
        else:
            kept.append(node)
    return _without(model, kept, left_out) if left_out else model


def _without(model: ModelProto, kept: Iterable[NodeProto], left_out: Mapping[str, ValueInfoProto]) -> ModelProto:
    """The model of the nodes that are kept; what is left out is an input where they read it."""
    made = ModelProto()
    made.CopyFrom(model)
    graph = made.graph
    del graph.node[:]
    graph.node.extend(kept)
    described = [value for value in model.graph.value_info if value.name not in left_out]
    del graph.value_info[:]
    graph.value_info.extend(described)
    graph.input.extend(left_out[name] for name in _read(graph.node) if name in left_out)
    return made


def _read(nodes: Iterable[NodeProto]) -> dict[str, None]:
    """The names that the nodes read, and those that graphs in them read or give."""
    found: dict[str, None] = {}
    for node in all_nodes(nodes):
        found.update(dict.fromkeys(node.input))
        for inner in subgraphs(node):
            found.update((value.name, None) for value in inner.output)
    return found


def _contents(model: ModelProto) -> dict[str, object]:
    """What is known of the tensors of the graph, by name: those that may decide sizes, without their names, and the
    types of the others."""
    found = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if CONSTANT.describes(node) and node.output and node.attribute:
            found[node.output[0]] = node.attribute[0].t
    return {
        name: _content(tensor) if _decides(tensor) else (tensor.data_type, *tensor.dims)
        for name, tensor in found.items()
    }


def _decides(tensor: TensorProto) -> bool:
    element = BY_CODE.get(tensor.data_type)
    return prod(tensor.dims) <= (_INTEGERS if element is not None and element.is_integer else _OTHERS)


def _content(tensor: TensorProto) -> bytes:
    bare = TensorProto()
    bare.CopyFrom(tensor)
    bare.ClearField("name")
    return bare.SerializeToString(deterministic=True)


def _kind(node: NodeProto, types: Mapping[str, ValueInfoProto], contents: Mapping[str, object]) -> object:
    """Equal for calls that are alike; None where the type of an input is not known."""
    inputs: list[object] = []
    for name in node.input:
        if not name:
            inputs.append(None)
        elif name in contents:
            inputs.append(contents[name])
        elif name in types:
            inputs.append(_facts(types[name].type))
        else:
            return None
    attributes = tuple(sorted(item.SerializeToString(deterministic=True) for item in node.attribute))
    return (call_id(node), tuple(inputs), attributes, tuple(map(bool, node.output)))


def _facts(type_: TypeProto) -> object:
    """A type without the names of its unknown sizes."""
    if not type_.HasField("tensor_type"):
        return type_.SerializeToString(deterministic=True)
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        return (tensor.elem_type, None)
    return (tensor.elem_type, *(dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim))
