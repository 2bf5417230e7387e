"""The canonical form of a function's body, and its digest.

A body is anonymous: it has no domain, name, overload, documentation, types of inner values or metadata, and everything
in it is named by position: inputs `i0`.., outputs `o0`.., attributes `a0`.., other values `v0`.. in the order of their
definition. Nodes stand depth first from the outputs (inputs from left to right, then what graphs capture); nodes that
no output needs are dropped if pure, else follow in their order. Nodes are never merged. Every attribute is written,
with the schema's default where the function leaves it out, sorted by name. Trailing absent inputs are trimmed, and so
are trailing absent outputs of operators that have a fixed number of them. An output that is an input, or a value
returned before, comes from an `Identity`. A call is a node of the domain `body1` whose operator is the called body's
digest, with attributes named by position.

Encoding 1, over which the digest is taken (sha256, written `body1:<hexadecimal>`). A number is a varint (base 128,
little end first; negative ones as 64-bit two's complement). A text or byte run is its length, then its bytes; a list
is its length, then its items.

    body       = "body1", number of inputs, number of attributes, number of outputs, nodes
    nodes      = list of node
    node       = meaning, list of input name, list of attribute, list of output name      (an absent one is empty)
    meaning    = 0 domain name since_version  |  1 digest(32 bytes)
    attribute  = name 0 type value  |  name 1 type function-attribute-name              (type: AttributeProto.Type)
    value      = FLOAT: its 4 bytes; INT: number; STRING: bytes; TENSOR, SPARSE_TENSOR, TYPE_PROTO, GRAPH: below;
                 lists of FLOAT, INT, STRING: list; lists of the others: list of byte runs
    tensor     = element-type, list of dimension, (byte run of little-endian elements | each string)
    sparse     = byte run of values, byte run of indices, list of dimension
    type       = protobuf's tag of the kind, then the element type or the inner type; dimensions: 0 | 1 number
    graph      = list of (name, 0 | 1 type), list of (name, 0 tensor | 1 sparse), nodes, list of (name, 0 | 1 type)

The bytes of a body are a FunctionProto without a name; its opset_import holds the lowest versions at which its
operators mean the same. Those follow from the meanings and do not enter the digest themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from onnx import AttributeProto, FunctionProto, NodeProto, SparseTensorProto, ValueInfoProto

from opwright.protos import wire
from opwright.protos.attributes import encode_attribute, encode_reference, wrap
from opwright.protos.operators import BODY_DOMAIN, BODY_PREFIX, Operator, called_body, standard_operator
from opwright.protos.order import Graph, Node, make_scope, order_nodes, read_nodes
from opwright.protos.tensors import Encoded, RefusedError, check_text, encode_sparse_tensor, encode_tensor, encode_type
from opwright.protos.wire import chunk, varint

FunctionId = tuple[str, str, str]  # domain, name, overload

_GRAPH_KINDS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)
_GRAPH_NAME = wire.GRAPH_NAME + chunk(b"g")
_NOT_TYPED, _TYPED = b"\x00", b"\x01"
_DENSE, _SPARSE = b"\x00", b"\x01"


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that is called: the digest of its body, and the names of that body's attributes in its order."""

    digest: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CanonicalBody:
    """A body without names.

    `proto` is the anonymous FunctionProto, serialised. `inputs` and `attributes` are the function's own names in the
    body's order: attributes without a default first, as the proto lists them. `calls` are the digests of the bodies
    called, each once, in the order of the first call.
    """

    digest: str
    proto: bytes
    inputs: tuple[str, ...]
    attributes: tuple[str, ...]
    calls: tuple[str, ...]

    @property
    def callee(self) -> Callee:
        """How functions that call this one refer to it."""
        return Callee(self.digest, self.attributes)


def canonicalise(function: FunctionProto, *, callees: Mapping[FunctionId, Callee]) -> CanonicalBody:
    """The canonical form of a function's body; linear in its size.

    `callees` gives the functions that it may call; a call of a body by its digest (domain `body1`) needs no entry.
    Operators are looked up at the versions in the function's own opset_import. Raises RefusedError when the body has no
    canonical form: a name is undefined or defined twice, values depend on each other in a circle, an operator is
    unknown, a tensor lies in another file or has the wrong size. A body that our compiler made always has one.
    """
    inputs = tuple(function.input)
    attributes = (*function.attribute, *(attribute.name for attribute in function.attribute_proto))
    if "" in inputs:
        raise RefusedError("an input has no name")
    check_text(*inputs, *attributes)
    if len(set(attributes)) != len(attributes):
        raise RefusedError("two attributes have one name")
    meanings = _Meanings(function, callees)
    nodes = read_nodes(function.node, meanings.of)
    outputs = _distinct_outputs(function, nodes, meanings)
    captures: dict[str, None] = {}
    ordered = order_nodes(make_scope(nodes, inputs), outputs, captures)
    for name in captures:
        raise RefusedError(f"the value {name!r} is not defined")
    writer = _Writer(attributes)
    names = {"": b"\x00"}
    names.update((name, _name(b"i", index)) for index, name in enumerate(inputs))
    names.update((name, _name(b"o", index)) for index, name in enumerate(outputs))
    encoding, fields = writer.write_nodes(wire.FUNCTION_NODE, ordered, names)
    header = b"body1" + varint(len(inputs)) + varint(len(attributes)) + varint(len(outputs))
    return CanonicalBody(
        digest=BODY_PREFIX + hashlib.sha256(header + encoding).hexdigest(),
        proto=_write_function(len(inputs), len(outputs), len(attributes), fields, writer.versions),
        inputs=inputs,
        attributes=attributes,
        calls=writer.calls,
    )


class _Meanings:
    """What the nodes of one function mean."""

    def __init__(self, function: FunctionProto, callees: Mapping[FunctionId, Callee]) -> None:
        self.versions = {_normal_domain(item.domain): item.version for item in function.opset_import}
        self.callees = callees
        self.known: dict[FunctionId, Operator] = {}

    def of(self, node: NodeProto) -> Operator:
        key = (node.domain, node.op_type, node.overload)
        return self.known.get(key) or self.find(key)

    def find(self, key: FunctionId) -> Operator:
        """The meaning of that id, looked up once."""
        found = self.known[key] = self._look_up(*key)
        return found

    def _look_up(self, domain: str, name: str, overload: str) -> Operator:
        check_text(domain, name, overload)
        callee = self.callees.get((domain, name, overload))
        if callee is not None:
            return called_body(callee.digest, callee.attributes)
        if domain == BODY_DOMAIN:
            return called_body(name, None)
        version = self.versions.get(_normal_domain(domain))
        if version is None:
            raise RefusedError(f"it uses {name} of the domain {domain or 'ai.onnx'}, which it does not import")
        return standard_operator(_normal_domain(domain), name, version)


def _normal_domain(domain: str) -> str:
    return "" if domain == "ai.onnx" else domain


def _distinct_outputs(function: FunctionProto, nodes: list[Node], meanings: _Meanings) -> list[str]:
    """One name for each output that a node defines and no other output has; adds the nodes that this takes."""
    taken = {"", *function.input}
    outputs: list[str] = []
    for index, name in enumerate(function.output):
        if not name:
            raise RefusedError("an output has no name")
        if name in taken:
            copied, name = name, f"\0{index}"
            nodes.append(Node(meanings.find(("", "Identity", "")), (copied,), (name,), (), {}))
        taken.add(name)
        outputs.append(name)
    return outputs


class _Writer:
    """Writes nodes in canonical order and hands out the names of their outputs."""

    def __init__(self, attributes: Sequence[str]) -> None:
        self.references = {name: _name(b"a", index) for index, name in enumerate(attributes)}
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
        given: dict[str, AttributeProto] = {}
        for attribute in node.attributes:
            name = operator.canonical_name(attribute.name)
            if name in given:
                raise RefusedError(f"a node has the attribute {name} twice")
            given[name] = attribute
        written = {
            name: self._write_attribute(chunk(name.encode()), given[name], node, names) for name in sorted(given)
        }
        for name, default in operator.defaults.items():
            written.setdefault(name, default)
        in_order = [written[name] for name in sorted(written)]
        return (
            varint(len(in_order)) + b"".join(item[0] for item in in_order),
            wire.repeated(wire.NODE_ATTRIBUTE, [chunk(item[1]) for item in in_order]),
        )

    def _write_attribute(
        self, name: bytes, attribute: AttributeProto, node: Node, names: Mapping[str, bytes]
    ) -> Encoded:
        if attribute.ref_attr_name:
            target = self.references.get(attribute.ref_attr_name)
            if target is None:
                raise RefusedError(f"it refers to the attribute {attribute.ref_attr_name}, which it does not have")
            return encode_reference(name, attribute.type, target)
        if attribute.type not in _GRAPH_KINDS:
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
        return _name(b"v", self.values - 1)


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


def _write_function(inputs: int, outputs: int, attributes: int, nodes: bytes, versions: Mapping[str, int]) -> bytes:
    imports = (
        wire.OPSET_DOMAIN + chunk(domain.encode()) + wire.OPSET_VERSION + varint(version)
        for domain, version in sorted(versions.items())
    )
    return b"".join(
        (
            wire.repeated(wire.FUNCTION_INPUT, [_name(b"i", index) for index in range(inputs)]),
            wire.repeated(wire.FUNCTION_OUTPUT, [_name(b"o", index) for index in range(outputs)]),
            wire.repeated(wire.FUNCTION_ATTRIBUTE, [_name(b"a", index) for index in range(attributes)]),
            nodes,
            wire.repeated(wire.FUNCTION_OPSET, [chunk(item) for item in imports]),
        )
    )


@lru_cache(maxsize=1 << 14)
def _name(letter: bytes, index: int) -> bytes:
    """A canonical name behind its length."""
    return chunk(letter + str(index).encode())
