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
from collections.abc import Mapping
from dataclasses import dataclass

from onnx import FunctionProto, NodeProto

from opwright.graphs.ids import FunctionId
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import IDENTITY
from opwright.protos import wire
from opwright.protos.canonical_operators import BODY_DOMAIN, BODY_PREFIX, Operator, called_body, standard_operator
from opwright.protos.canonical_tensors import Encoded, RefusedError, check_text
from opwright.protos.order import Node, make_scope, order_nodes, read_nodes
from opwright.protos.wire import chunk, varint
from opwright.protos.writer import Writer, WrittenNode, canonical_name, join_nodes


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
    ordered = _Ordered(function, _Meanings(function, callees))
    writer = Writer(ordered.attributes)
    return ordered.body(writer, writer.write_nodes(wire.FUNCTION_NODE, ordered.nodes, ordered.names()))


class _Ordered:
    """A function's nodes in canonical order, and the names of what they read and give."""

    def __init__(self, function: FunctionProto, meanings: _Meanings) -> None:
        self.inputs = inputs = tuple(function.input)
        self.attributes = attributes = (*function.attribute, *(item.name for item in function.attribute_proto))
        if "" in inputs:
            raise RefusedError("an input has no name")
        check_text(*inputs, *attributes)
        if len(set(attributes)) != len(attributes):
            raise RefusedError("two attributes have one name")
        nodes = read_nodes(function.node, meanings.of)
        self.outputs = _distinct_outputs(function, nodes, meanings)
        captures: dict[str, None] = {}
        self.nodes = order_nodes(make_scope(nodes, inputs), self.outputs, captures)
        for name in captures:
            raise RefusedError(f"the value {name!r} is not defined")

    def names(self) -> dict[str, bytes]:
        """The canonical names of what no node of the body defines, or what it returns."""
        names = {"": b"\x00"}
        names.update((name, canonical_name(b"i", index)) for index, name in enumerate(self.inputs))
        names.update((name, canonical_name(b"o", index)) for index, name in enumerate(self.outputs))
        return names

    def body(self, writer: Writer, nodes: Encoded) -> CanonicalBody:
        """The body, whose nodes have been written by that writer."""
        encoding, fields = nodes
        inputs, attributes, outputs = len(self.inputs), len(self.attributes), len(self.outputs)
        header = b"body1" + varint(inputs) + varint(attributes) + varint(outputs)
        return CanonicalBody(
            digest=BODY_PREFIX + hashlib.sha256(header + encoding).hexdigest(),
            proto=_write_function(inputs, outputs, attributes, fields, writer.versions),
            inputs=self.inputs,
            attributes=self.attributes,
            calls=writer.calls,
        )


class BodyAtOpsets:
    """A function whose body is the same at several opsets but for the versions of its operators, and for the bodies of
    the functions that it calls: nodes are ordered once, and written again where they mean another version."""

    def __init__(self, function: FunctionProto) -> None:
        self._function = function
        self._ordered: _Ordered | None = None
        self._meanings: dict[FunctionId, Operator] = {}
        self._written: list[WrittenNode] = []
        self._used: tuple[Operator, ...] = ()

    def at(self, opset: int, callees: Mapping[FunctionId, Callee]) -> CanonicalBody:
        """The canonical form at that opset of ai.onnx, as `canonicalise` has it."""
        for item in self._function.opset_import:
            if not item.domain:
                item.version = opset
        if self._ordered is not None and any(node.graphs for node in self._ordered.nodes):
            return canonicalise(self._function, callees=callees)
        meanings = _Meanings(self._function, callees)
        if self._ordered is None:
            self._ordered = _Ordered(self._function, meanings)
            self._meanings = meanings.known
            writer = Writer(self._ordered.attributes)
            names = self._ordered.names()
            self._written = [writer.write_apart(node, names) for node in self._ordered.nodes]
        else:
            known = {key: meanings.again(key, operator) for key, operator in self._meanings.items()}
            now = {operator: known[key] for key, operator in self._meanings.items()}
            self._meanings = known
            writer = Writer(self._ordered.attributes)
            writer.used = dict.fromkeys(map(now.__getitem__, self._used))
            for index, node in enumerate(self._written):
                operator = now[node.node.operator]
                if operator is not node.node.operator:
                    self._written[index] = writer.write_again(node, operator)
        self._used = tuple(writer.used)
        return self._ordered.body(writer, join_nodes(wire.FUNCTION_NODE, self._written))


class _Meanings:
    """What the nodes of one function mean."""

    def __init__(self, function: FunctionProto, callees: Mapping[FunctionId, Callee]) -> None:
        self.versions = {normal_domain(item.domain): item.version for item in function.opset_import}
        self.callees = callees
        self.known: dict[FunctionId, Operator] = {}

    def of(self, node: NodeProto) -> Operator:
        key = (node.domain, node.op_type, node.overload)
        return self.known.get(key) or self.find(key)

    def find(self, key: FunctionId) -> Operator:
        """The meaning of that id, looked up once."""
        found = self.known[key] = self._look_up(*key)
        return found

    def again(self, key: FunctionId, before: Operator) -> Operator:
        """The meaning of an id that was `before` at other versions."""
        domain, name, _ = key
        return self.find(key) if domain or before.called else standard_operator("", name, self.versions[""])

    def _look_up(self, domain: str, name: str, overload: str) -> Operator:
        check_text(domain, name, overload)
        callee = self.callees.get((domain, name, overload))
        if callee is not None:
            return called_body(callee.digest, callee.attributes)
        if domain == BODY_DOMAIN:
            return called_body(name, None)
        version = self.versions.get(normal_domain(domain))
        if version is None:
            raise RefusedError(f"it uses {name} of the domain {domain or 'ai.onnx'}, which it does not import")
        return standard_operator(normal_domain(domain), name, version)


def _distinct_outputs(function: FunctionProto, nodes: list[Node], meanings: _Meanings) -> list[str]:
    """One name for each output that a node defines and no other output has; adds the nodes that this takes."""
    taken = {"", *function.input}
    outputs: list[str] = []
    for index, name in enumerate(function.output):
        if not name:
            raise RefusedError("an output has no name")
        if name in taken:
            copied, name = name, f"\0{index}"
            nodes.append(Node(meanings.find(("", IDENTITY.name, "")), (copied,), (name,), (), {}))
        taken.add(name)
        outputs.append(name)
    return outputs


def _write_function(inputs: int, outputs: int, attributes: int, nodes: bytes, versions: Mapping[str, int]) -> bytes:
    imports = (
        wire.OPSET_DOMAIN + chunk(domain.encode()) + wire.OPSET_VERSION + varint(version)
        for domain, version in sorted(versions.items())
    )
    return b"".join(
        (
            wire.repeated(wire.FUNCTION_INPUT, [canonical_name(b"i", index) for index in range(inputs)]),
            wire.repeated(wire.FUNCTION_OUTPUT, [canonical_name(b"o", index) for index in range(outputs)]),
            wire.repeated(wire.FUNCTION_ATTRIBUTE, [canonical_name(b"a", index) for index in range(attributes)]),
            nodes,
            wire.repeated(wire.FUNCTION_OPSET, [chunk(item) for item in imports]),
        )
    )
