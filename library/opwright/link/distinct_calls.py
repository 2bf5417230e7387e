"""What onnxruntime is to load of a model to judge it: one node of each kind.

It puts the bodies of functions in the place of their calls, and takes time for that which grows with the square of the
nodes: minutes for a model of some ten thousand. Nodes of one operator or function with equal attributes, graphs among
them, on inputs of equal types are all taken, or none is; so one of them stands for all, and what the others give is an
input of the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import prod
from operator import itemgetter

from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, TypeProto, ValueInfoProto

from opwright.elements import BY_CODE
from opwright.graphs.constant_nodes import tensor_of_constant
from opwright.graphs.ids import call_id, function_id
from opwright.graphs.walk import GRAPH_KINDS, all_nodes, names_of, subgraphs
from opwright.link.inferred_parts import inferred_graphs
from opwright.opsets.records import CONSTANT

# Elements of a tensor that may decide sizes: of integers, which are axes and shapes, and of others, such as scales.
_INTEGERS, _OTHERS = 512, 6
_NAME = itemgetter(0)


def with_distinct_calls(model: ModelProto, inferred: Sequence[GraphProto] = ()) -> ModelProto:
    """The model without those nodes in its graph that are like an earlier one; itself where no function is called so
    often that it matters.

    `inferred` are its `inferred_graphs`, where these are known. A node stays where it gives an output of the model,
    where something of it has no type that ONNX finds, and where another node has its name, which is a fault.
    """
    functions = {function_id(function) for function in model.functions}
    calls = Counter(call_id(node) for node in model.graph.node) if functions else Counter()
    if not any(calls[identity] > 1 for identity in functions):
        return model
    types = {
        value.name: value
        for part in inferred or inferred_graphs(model)
        for value in (*part.input, *part.value_info, *part.output)
    }
    if not types:
        return model
    kinds = _Kinds(types, _contents(model))
    names = Counter(node.name for node in model.graph.node if node.name)
    outputs = {value.name for value in model.graph.output}
    seen: set[object] = set()
    left_out: dict[str, ValueInfoProto] = {}
    kept: list[NodeProto] = []
    for node in model.graph.node:
        kind = kinds.of(node)
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
        tensor = tensor_of_constant(node) if CONSTANT.describes(node) else None
        if tensor is not None and node.output:
            found[node.output[0]] = tensor
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


class _Kinds:
    """Tells which nodes are alike."""

    def __init__(self, types: Mapping[str, ValueInfoProto], contents: Mapping[str, object]) -> None:
        self._types = types
        self._known = dict(contents)

    def of(self, node: NodeProto) -> object:
        """Equal for nodes that are alike; None where something that the node reads has no known type, and for what
        reads nothing, such as constants, which may decide sizes."""
        try:
            return self._node(node, {}) if node.input else None
        except LookupError:
            return None

    def _node(self, node: NodeProto, inner: Mapping[str, int]) -> object:
        """Equal for nodes that are alike, whatever values are called that are defined in a graph around them."""
        inputs = tuple([self._value(name, inner) for name in node.input])
        attributes = [(item.name, self._attribute(item, inner)) for item in node.attribute]
        attributes.sort(key=_NAME)
        return (call_id(node), inputs, tuple(attributes), tuple(map(bool, node.output)))

    def _attribute(self, attribute: AttributeProto, inner: Mapping[str, int]) -> object:
        if attribute.type not in GRAPH_KINDS:
            return attribute.SerializeToString(deterministic=True)
        graphs = [attribute.g, *attribute.graphs]
        return (attribute.ref_attr_name, *(self._graph(graph, inner) for graph in graphs))

    def _graph(self, graph: GraphProto, around: Mapping[str, int]) -> object:
        names = [node.name for node in graph.node if node.name]
        if len({*names}) < len(names):
            raise LookupError  # a fault, which onnxruntime is to see
        inner = {**around}
        for name in names_of(graph):
            inner.setdefault(name, len(inner))
        inputs = [(inner[value.name], value.type.SerializeToString(deterministic=True)) for value in graph.input]
        tensors = [(inner[tensor.name], _content(tensor)) for tensor in graph.initializer]
        sparse = [item.SerializeToString(deterministic=True) for item in graph.sparse_initializer]
        nodes = [(self._node(node, inner), *(inner.get(name) for name in node.output)) for node in graph.node]
        outputs = [(inner[value.name], value.type.SerializeToString(deterministic=True)) for value in graph.output]
        return (tuple(inputs), tuple(tensors), tuple(sparse), tuple(nodes), tuple(outputs))

    def _value(self, name: str, inner: Mapping[str, int]) -> object:
        if not name or name in inner:
            return inner.get(name)
        if name not in self._known:
            self._known[name] = _facts(self._types[name].type)
        return self._known[name]


def _facts(type_: TypeProto) -> object:
    """A type without the names of its unknown sizes."""
    if not type_.HasField("tensor_type"):
        return type_.SerializeToString(deterministic=True)
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        return (tensor.elem_type, None)
    return (tensor.elem_type, *(dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim))
