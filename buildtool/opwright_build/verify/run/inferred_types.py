"""The element types that onnx infers for functions, node by node, with each question about a node asked once.

The bodies of a library are some thousand functions of the same few nodes, and each is asked about every type that it
may take. What onnx infers of a node follows from the version of its operator, its attributes, the types of what it
reads and the contents of constants among that. So the answers about nodes are kept, and a function is a look-up for
each node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from operator import itemgetter

import numpy as np
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, TypeProto, defs, helper, numpy_helper
from onnx.shape_inference import InferenceError, infer_function_output_types
from opwright.elements import BY_CODE
from opwright.graphs.walk import GRAPH_KINDS, all_nodes, subgraphs

from opwright_build.verify.run.models import type_proto

Numbers = list[int]  # of what is known of values: of those of a function, in the order in which they come to be


@dataclass(frozen=True, slots=True)
class _Node:
    """A node, with the operators, by domain and name, of itself and of its subgraphs; what they read, by name and as
    one thing out of the numbers of all values; and what it writes.

    `text` is the same for nodes that differ in the names of values alone.
    """

    proto: NodeProto
    text: object
    operators: tuple[tuple[str, str], ...]
    reads: tuple[str, ...]
    read: Callable[[Numbers], int | tuple[int, ...] | None]
    writes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlatFunction:
    """A model without functions, as a function of its inputs; `places` are those of its outputs among all values."""

    model: ModelProto
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    nodes: tuple[_Node, ...]
    places: tuple[int, ...]


def flat_function(model: ModelProto) -> FlatFunction:
    """The function that a model without functions is."""
    inputs = tuple(item.name for item in model.graph.input)
    outputs = tuple(item.name for item in model.graph.output)
    places = {name: place for place, name in enumerate(inputs)}
    nodes = []
    for proto in model.graph.node:
        node = _node(proto, places)
        nodes.append(node)
        for name in node.writes:
            places[name] = len(places)
    return FlatFunction(model, inputs, outputs, tuple(nodes), tuple(places[name] for name in outputs))


def _node(proto: NodeProto, places: Mapping[str, int]) -> _Node:
    names = [name for name in proto.input if name]
    operators = [(proto.domain, proto.op_type)]
    text: tuple[object, ...]
    if any(attribute.type in GRAPH_KINDS for attribute in proto.attribute):
        inner = {(item.domain, item.op_type) for graph in subgraphs(proto) for item in all_nodes(graph.node)}
        operators += sorted(inner)
        text = (proto.SerializeToString(),)
        names = list(dict.fromkeys([*names, *(name for name in _read_within(proto) if name in places)]))
    else:
        attributes = [attribute.SerializeToString() for attribute in proto.attribute]
        text = (*attributes, *map(bool, proto.input), *map(str, map(bool, proto.output)))
    read = itemgetter(*(places[name] for name in names)) if names else _nothing
    return _Node(proto, text, tuple(operators), tuple(names), read, tuple(name for name in proto.output if name))


def _nothing(numbers: Numbers) -> None:
    """What is read where nothing is."""


def _read_within(node: NodeProto) -> Iterator[str]:
    """The values that subgraphs of a node read or give, their own among them."""
    for graph in subgraphs(node):
        yield from (output.name for output in graph.output)
        for item in all_nodes(graph.node):
            yield from item.input
            for inner in subgraphs(item):
                yield from (output.name for output in inner.output)


class InferredTypes:
    """The answers of onnx about nodes, by what they follow from."""

    def __init__(self) -> None:
        self._kinds: dict[object, int] = {}  # of nodes
        self._numbers: dict[tuple[bytes, bytes], int] = {}
        self._values: list[tuple[bytes, bytes]] = []  # types, and contents of constants
        self._known: dict[tuple[int, object], tuple[int, ...] | None] = {}

    def at(self, function: FlatFunction, opset: int) -> Callable[[tuple[str, ...]], list[str] | None]:
        """What gives the types of the outputs for those of the inputs, at an opset.

        It gives None when an operator refuses those of the inputs, and an empty type where onnx does not know one: of
        an operator that onnx does not describe, or does without inference.
        """
        imports = {item.domain: item.version for item in function.model.opset_import} | {"": opset}
        kinds: list[int] = []
        for node in function.nodes:
            versions = [_version(*operator, imports.get(operator[0], 1)) for operator in node.operators]
            if not versions[0]:  # onnx does not know it
                return cache(lambda inputs: _of_whole(function, inputs, imports))
            kind = (node.operators, *versions, node.text)
            kinds.append(self._kinds.setdefault(kind, len(self._kinds)))
        return cache(lambda inputs: self._of(function, kinds, inputs, imports))

    def _of(
        self, function: FlatFunction, kinds: Sequence[int], inputs: tuple[str, ...], imports: Mapping[str, int]
    ) -> list[str] | None:
        known = self._known
        numbers = [self._number(_type_bytes(kind), b"") for kind in inputs]
        for node, kind in zip(function.nodes, kinds, strict=True):
            key = (kind, node.read(numbers))
            if key not in known:
                known[key] = self._infer(node, key[1], imports)
            results = known[key]
            if results is None:
                return None
            if len(results) < len(node.writes):
                return _of_whole(function, inputs, imports)
            numbers += results
        return [_type_text(self._values[numbers[place]][0]) for place in function.places]

    def _number(self, kind: bytes, contents: bytes) -> int:
        number = self._numbers.setdefault((kind, contents), len(self._values))
        if number == len(self._values):
            self._values.append((kind, contents))
        return number

    def _infer(
        self, node: _Node, read: int | tuple[int, ...] | None, imports: Mapping[str, int]
    ) -> tuple[int, ...] | None:
        """What a node writes, up to the first value of which onnx knows nothing; None where it is refused."""
        numbers = read if isinstance(read, tuple) else () if read is None else (read,)
        values = {name: self._values[number] for name, number in zip(node.reads, numbers, strict=False)}
        constants = [_constant_node(name, contents) for name, (_, contents) in values.items() if contents]
        types = {name: TypeProto.FromString(kind) for name, (kind, contents) in values.items() if not contents}
        inferred = _infer_nodes([*constants, node.proto], types, node.writes, imports)
        if inferred is None:
            return None
        contents = _contents(node.proto)
        known = takewhile(lambda kind: kind.WhichOneof("value") is not None, inferred)
        return tuple(self._number(kind.SerializeToString(), contents) for kind in known)


@cache
def _version(domain: str, name: str, version: int) -> int:
    """The version of an operator that an import means; 0 where onnx does not know it."""
    try:
        return int(defs.get_schema(name, version, domain).since_version)
    except defs.SchemaError:
        return 0


def _contents(node: NodeProto) -> bytes:
    """The contents of a constant that inference may look at, as a tensor; empty for all other nodes."""
    if node.op_type != "Constant" or node.domain or len(node.attribute) != 1:
        return b""
    (attribute,) = node.attribute
    match attribute.name:
        case "value":
            return attribute.t.SerializeToString()
        case "value_int":
            return numpy_helper.from_array(np.array(attribute.i, np.int64)).SerializeToString()
        case "value_ints":
            return numpy_helper.from_array(np.array(attribute.ints, np.int64)).SerializeToString()
        case "value_float":
            return numpy_helper.from_array(np.array(attribute.f, np.float32)).SerializeToString()
        case "value_floats":
            return numpy_helper.from_array(np.array(attribute.floats, np.float32)).SerializeToString()
    return b""


def _constant_node(name: str, contents: bytes) -> NodeProto:
    return helper.make_node("Constant", [], [name], value=TensorProto.FromString(contents))


def _of_whole(function: FlatFunction, inputs: Sequence[str], imports: Mapping[str, int]) -> list[str] | None:
    """The types of the outputs, asked about the function as a whole."""
    types = {name: type_proto(kind) for name, kind in zip(function.inputs, inputs, strict=True)}
    outputs = _infer_nodes(function.model.graph.node, types, function.outputs, imports)
    return None if outputs is None else [_text(item) for item in outputs]


def _infer_nodes(
    nodes: Sequence[NodeProto], inputs: Mapping[str, TypeProto], outputs: Sequence[str], imports: Mapping[str, int]
) -> list[TypeProto] | None:
    """What onnx infers of a function of these nodes; None where it refuses one."""
    proto = FunctionProto(name="asked", domain="opwright.asked", node=nodes)
    proto.input.extend(inputs)
    proto.output.extend(outputs)
    proto.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in imports.items())
    try:
        return list(infer_function_output_types(proto, list(inputs.values()), []))
    except InferenceError:
        return None


@cache
def _type_bytes(kind: str) -> bytes:
    return type_proto(kind).SerializeToString()


@cache
def _type_text(data: bytes) -> str:
    return _text(TypeProto.FromString(data))


def _text(proto: TypeProto) -> str:
    """A type as the index writes it; empty where it is not known."""
    if proto.HasField("sequence_type"):
        item = _text(proto.sequence_type.elem_type)
        return item and f"seq({item})"
    code = proto.tensor_type.elem_type
    return BY_CODE[code].name if code else ""
