"""Writes ordered nodes twice at once: as the encoding that the digest is taken over, and as protobuf fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from onnx import AttributeProto, SparseTensorProto, ValueInfoProto

from opwright.graphs.walk import GRAPH_KINDS
from opwright.protos import wire
from opwright.protos.canonical_attributes import encode_attribute, encode_reference, wrap
from opwright.protos.canonical_operators import Operator
from opwright.protos.canonical_tensors import Encoded, RefusedError, encode_sparse_tensor, encode_tensor, encode_type
from opwright.protos.order import Graph, Node
from opwright.protos.wire import chunk, varint

_GRAPH_NAME = wire.GRAPH_NAME + chunk(b"g")
_NOT_TYPED, _TYPED = b"\x00", b"\x01"
_DENSE, _SPARSE = b"\x00", b"\x01"


class WrittenNode:
    """A node without graphs as it is written: `encoding` and `field`, and the parts of them that do not depend on the
    version of its operator."""

    __slots__ = ("encoding", "field", "gives", "names", "node", "reads")

    def __init__(self, node: Node, reads: bytes, attributes: Encoded, gives: bytes, names: bytes) -> None:
        operator = node.operator
        self.node = node
        self.reads = reads
        self.gives = gives
        self.names = names
        self.encoding = b"".join((operator.encoding, reads, attributes[0], gives))
        self.field = chunk(b"".join((names, operator.op_type, attributes[1], operator.domain)))


def join_nodes(tag: bytes, nodes: Sequence[WrittenNode]) -> Encoded:
    """The nodes, each as a field with that tag."""
    encodings = b"".join([varint(len(nodes)), *[item.encoding for item in nodes]])
    return encodings, wire.repeated(tag, [item.field for item in nodes])


class Writer:
    """Writes nodes in canonical order and hands out the names of their outputs."""

    def __init__(self, attributes: Sequence[str]) -> None:
        self.references = {name: canonical_name(b"a", index) for index, name in enumerate(attributes)}
        self.values = 0
        self.used: dict[Operator, None] = {}

    @property
    def versions(self) -> dict[str, int]:
        """For each domain the lowest version at which what was written means the same."""
        found: dict[str, int] = {}
        for operator in self.used:
            domain = operator.import_domain
            found[domain] = max(operator.since_version, found.get(domain, 1))
        return found

    @property
    def calls(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(operator.called for operator in self.used if operator.called))

    def write_nodes(self, tag: bytes, nodes: Sequence[Node], names: dict[str, bytes]) -> Encoded:
        """The nodes, each as a field with that tag. `names` has the canonical names of what is defined already."""
        encodings = [varint(len(nodes))]
        fields = [chunk(self._write_node(node, names, encodings)) for node in nodes]
        return b"".join(encodings), wire.repeated(tag, fields)

    def write_apart(self, node: Node, names: dict[str, bytes]) -> WrittenNode:
        """A node in parts; `names` gets those of its outputs."""
        self.used.setdefault(node.operator)
        inputs = [names[name] for name in node.inputs]
        attributes = self._write_attributes(node, names) if node.attributes else node.operator.no_attributes
        outputs: list[bytes] = []
        for name in node.outputs:
            given = names.get(name)
            if given is None:
                given = names[name] = self._fresh()
            outputs.append(given)
        reads, gives = (varint(len(items)) + b"".join(items) for items in (inputs, outputs))
        fields = wire.repeated(wire.NODE_INPUT, inputs) + wire.repeated(wire.NODE_OUTPUT, outputs)
        return WrittenNode(node, reads, attributes, gives, fields)

    def write_again(self, written: WrittenNode, operator: Operator) -> WrittenNode:
        """The same node without graphs with another version of its operator, or a call of another body."""
        before = written.node
        node = Node(operator, before.inputs, before.outputs, before.attributes, before.graphs)
        attributes = self._write_attributes(node, {}) if node.attributes else operator.no_attributes
        return WrittenNode(node, written.reads, attributes, written.gives, written.names)

    def _write_node(self, node: Node, names: dict[str, bytes], encodings: list[bytes]) -> bytes:
        operator = node.operator
        self.used.setdefault(operator)
        inputs = [names[name] for name in node.inputs]
        attributes = self._write_attributes(node, names) if node.attributes else operator.no_attributes
        outputs: list[bytes] = []
        for name in node.outputs:
            given = names.get(name)
            if given is None:
                given = names[name] = self._fresh()
            outputs.append(given)
        encodings += (operator.encoding, varint(len(inputs)), *inputs, attributes[0], varint(len(outputs)), *outputs)
        reads = wire.repeated(wire.NODE_INPUT, inputs)
        return b"".join(
            (reads, wire.repeated(wire.NODE_OUTPUT, outputs), operator.op_type, attributes[1], operator.domain)
        )

    def _write_attributes(self, node: Node, names: Mapping[str, bytes]) -> Encoded:
        operator = node.operator
        if operator.called is None and not node.graphs and not any(item.ref_attr_name for item in node.attributes):
            return _encode_plain_attributes(operator, node.attributes)
        given = _named_attributes(operator, node.attributes)
        return _join_attributes(
            operator,
            {name: self._write_attribute(chunk(name.encode()), given[name], node, names) for name in sorted(given)},
        )

    def _write_attribute(
        self, name: bytes, attribute: AttributeProto, node: Node, names: Mapping[str, bytes]
    ) -> Encoded:
        if attribute.ref_attr_name:
            target = self.references.get(attribute.ref_attr_name)
            if target is None:
                raise RefusedError(f"it refers to the attribute {attribute.ref_attr_name}, which it does not have")
            return encode_reference(name, attribute.type, target)
        if attribute.type not in GRAPH_KINDS:
            return encode_attribute(name, attribute)
        graphs = [self._write_graph(graph, names) for graph in node.graphs[attribute.name]]
        if attribute.type == AttributeProto.GRAPH:
            [(encoding, fields)] = graphs
            return wrap(name, attribute.type, encoding, wire.ATTRIBUTE_GRAPH + chunk(fields))
        encodings = varint(len(graphs)) + b"".join(chunk(item[0]) for item in graphs)
        return wrap(
            name, attribute.type, encodings, wire.repeated(wire.ATTRIBUTE_GRAPHS, [chunk(item[1]) for item in graphs])
        )

    def _write_graph(self, graph: Graph, outer: Mapping[str, bytes]) -> Encoded:
        """A subgraph; its values are numbered in the same sequence as those around it, for they must differ."""
        names = {name: outer[name] for name in graph.captures}
        names[""] = b"\x00"
        for value in graph.proto.input:
            names[value.name] = self._fresh()
        inputs = _write_values(wire.GRAPH_INPUT, graph.proto.input, names)
        for name in graph.initializers:
            if name not in names:
                names[name] = self._fresh()
        initializers = _write_initializers(graph, names)
        nodes = self.write_nodes(wire.GRAPH_NODE, graph.nodes, names)
        outputs = _write_values(wire.GRAPH_OUTPUT, graph.proto.output, names)
        encoding = inputs[0] + initializers[0] + nodes[0] + outputs[0]
        dense, sparse = initializers[1]
        return encoding, nodes[1] + _GRAPH_NAME + dense + inputs[1] + outputs[1] + sparse

    def _fresh(self) -> bytes:
        self.values += 1
        return canonical_name(b"v", self.values - 1)


# Bodies of one function at several opsets, and of many functions, hold the same few attributes.
_REMEMBERED = 256  # bytes of a node's attributes


def _encode_plain_attributes(operator: Operator, attributes: Sequence[AttributeProto]) -> Encoded:
    """The attributes of an operator, none of which holds a graph or refers to the function's."""
    serialised = tuple([item.SerializeToString() for item in attributes])
    if sum(map(len, serialised)) <= _REMEMBERED:
        return _encode_serialised(operator, serialised)
    return _encode_values(operator, attributes)


@lru_cache(maxsize=1 << 14)
def _encode_serialised(operator: Operator, serialised: tuple[bytes, ...]) -> Encoded:
    return _encode_values(operator, [AttributeProto.FromString(data) for data in serialised])


def _encode_values(operator: Operator, attributes: Sequence[AttributeProto]) -> Encoded:
    given = _named_attributes(operator, attributes)
    return _join_attributes(
        operator, {name: encode_attribute(chunk(name.encode()), attribute) for name, attribute in given.items()}
    )


def _named_attributes(operator: Operator, attributes: Sequence[AttributeProto]) -> dict[str, AttributeProto]:
    given: dict[str, AttributeProto] = {}
    for attribute in attributes:
        name = operator.canonical_attribute(attribute.name)
        if name in given:
            raise RefusedError(f"a node has the attribute {name} twice")
        given[name] = attribute
    return given


def _join_attributes(operator: Operator, written: dict[str, Encoded]) -> Encoded:
    """The attributes and the defaults of those that are not among them, in the order of their names."""
    for name, default in operator.defaults.items():
        written.setdefault(name, default)
    in_order = [written[name] for name in sorted(written)]
    return (
        varint(len(in_order)) + b"".join(item[0] for item in in_order),
        wire.repeated(wire.NODE_ATTRIBUTE, [chunk(item[1]) for item in in_order]),
    )


def _write_values(tag: bytes, values: Sequence[ValueInfoProto], names: Mapping[str, bytes]) -> Encoded:
    """A graph's inputs or outputs; their types stay where given, since onnxruntime needs those of a Loop's body."""
    encodings = [varint(len(values))]
    fields: list[bytes] = []
    for value in values:
        name = names[value.name]
        if value.HasField("type") and value.type.WhichOneof("value"):
            encoding, content = encode_type(value.type)
            encodings += (name, _TYPED, encoding)
            fields.append(chunk(wire.VALUE_NAME + name + wire.VALUE_TYPE + chunk(content)))
        else:
            encodings += (name, _NOT_TYPED)
            fields.append(chunk(wire.VALUE_NAME + name))
    return b"".join(encodings), wire.repeated(tag, fields)


def _write_initializers(graph: Graph, names: Mapping[str, bytes]) -> tuple[bytes, tuple[bytes, bytes]]:
    """The digest encoding of all, and the protobuf fields of the dense and of the sparse ones."""
    encodings = [varint(len(graph.initializers))]
    dense: list[bytes] = []
    sparse: list[bytes] = []
    for given, tensor in graph.initializers.items():
        name = names[given]
        bare = name[1:]  # without its length, which is one byte
        if isinstance(tensor, SparseTensorProto):
            encoding, content = encode_sparse_tensor(tensor, bare)
            encodings += (name, _SPARSE, encoding)
            sparse.append(chunk(content))
        else:
            encoding, content = encode_tensor(tensor, bare)
            encodings += (name, _DENSE, encoding)
            dense.append(chunk(content))
    fields = (wire.repeated(wire.GRAPH_INITIALIZER, dense), wire.repeated(wire.GRAPH_SPARSE_INITIALIZER, sparse))
    return b"".join(encodings), fields


@lru_cache(maxsize=1 << 14)
def canonical_name(letter: bytes, index: int) -> bytes:
    """A canonical name behind its length."""
    return chunk(letter + str(index).encode())
