"""The nodes of a stored body as a graph to be drawn: constants stand with the nodes that read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto, numpy_helper
from opwright.bundle.format import BodyEntry, FunctionEntry
from opwright.elements import BY_CODE
from opwright.graphs.walk import GRAPH_KINDS, all_nodes, subgraphs

from opwright_build.site.site_record import Callee, DrawnGraph, DrawnNode

BODY_DOMAIN = "body1"
MOST_NODES = 400  # that are drawn
_MOST_DETAILS = 4
_MOST_CHARACTERS = 28


@dataclass(frozen=True, slots=True)
class Names:
    """What a body's anonymous names stand for in the interface; `callees` are functions by the digests of bodies."""

    values: Mapping[str, str]
    attributes: Mapping[str, str]
    callees: Mapping[str, Callee]


def names_of(entry: FunctionEntry, body: BodyEntry, pages: Mapping[str, str]) -> Names:
    """`pages` maps identities to pages."""
    outputs = body.outputs or tuple(item.name for item in entry.outputs)
    values = {f"i{number}": name for number, name in enumerate(body.inputs)}
    values |= {f"o{number}": name for number, name in enumerate(outputs)}
    callees = {}
    for call in body.calls:
        identity = f"{call.domain}::{call.name}@{call.since_version}"
        callees[call.body.partition(":")[2]] = Callee(identity, pages.get(identity, ""))
    return Names(values, {f"a{number}": name for number, name in enumerate(body.attributes)}, callees)


def node_count(function: FunctionProto) -> int:
    """Those of subgraphs too, constants left out."""
    return sum(node.op_type != "Constant" for node in all_nodes(function.node))


def body_graph(function: FunctionProto, names: Names) -> DrawnGraph:
    return _Builder(names).graph(function.input, function.node, function.output, {}, {})


def constant_text(node: NodeProto, names: Names) -> str:
    """What a node `Constant` gives, in few characters; empty where it is too much to be said."""
    (attribute,) = node.attribute[:1] or [AttributeProto()]
    if attribute.ref_attr_name:
        return names.attributes.get(attribute.ref_attr_name, attribute.ref_attr_name)
    if attribute.type == AttributeProto.TENSOR:
        return _tensor_text(attribute.t)
    return _value_text(attribute)


@dataclass(slots=True)
class _Builder:
    names: Names
    nodes: list[DrawnNode] = field(default_factory=list)

    def graph(
        self,
        inputs: Iterable[str],
        nodes: Sequence[NodeProto],
        outputs: Iterable[str],
        outer: Mapping[str, str],
        constants: Mapping[str, str],
    ) -> DrawnGraph:
        """`outer` are the names of values of graphs around this one; `constants` the texts of those that are."""
        made: dict[str, int] = {}
        told = dict(constants)
        known = dict(outer)
        for name in inputs:
            made[name] = self._add(DrawnNode(self._name(name), (), (), "input"))
            known[name] = self._name(name)
        for node in nodes:
            if node.op_type == "Constant" and not node.domain and len(node.output) == 1:
                told[node.output[0]] = constant_text(node, self.names) or "constant"
                continue
            reads, given = [], []
            for place, name in enumerate(node.input):
                if name in made:
                    reads.append(made[name])
                elif name in told:
                    given.append(told[name])
                elif name in known:  # of a graph around this one: stands here once, as an input
                    made[name] = self._add(DrawnNode(known[name], (), (), "input"))
                    reads.append(made[name])
                elif name:
                    given.append(f"input {place}: {name}")
            captured = (made[name] for name in _captured(node) if name in made)
            number = self._add(self._node(node, [*reads, *captured], given, known, told))
            for name in node.output:
                if name:
                    made[name] = number
                    known.setdefault(name, self.names.values.get(name, self.nodes[number].operator))
        for name in outputs:
            read = (made[name],) if name in made else ()
            details = () if name in made else (told.get(name) or known.get(name, name),)
            self._add(DrawnNode(self._name(name), details, read, "output"))
        return DrawnGraph(tuple(self.nodes))

    def _node(
        self,
        node: NodeProto,
        reads: Sequence[int],
        given: Sequence[str],
        known: Mapping[str, str],
        told: Mapping[str, str],
    ) -> DrawnNode:
        callee = self.names.callees.get(node.op_type) if node.domain == BODY_DOMAIN else None
        operator = node.op_type if callee is None else callee.identity.partition("::")[2]
        attributes = [item for item in node.attribute if item.type not in GRAPH_KINDS or item.ref_attr_name]
        details = [*given, *(attribute_text(item, self.names) for item in attributes)]
        if len(details) > _MOST_DETAILS:
            details = [*details[: _MOST_DETAILS - 1], f"and {len(details) - _MOST_DETAILS + 1} more"]
        inside = tuple(
            (item.name, self._inner(graph, known, told))
            for item in node.attribute
            for graph in ([item.g] if item.type == AttributeProto.GRAPH and not item.ref_attr_name else item.graphs)
        )
        kind = "operator" if callee is None else "call"
        return DrawnNode(operator, tuple(details), tuple(dict.fromkeys(reads)), kind, callee, inside)

    def _inner(self, graph: GraphProto, known: Mapping[str, str], told: Mapping[str, str]) -> DrawnGraph:
        texts = {**told, **{item.name: _tensor_text(item) or "constant" for item in graph.initializer}}
        names = (item.name for item in graph.input)
        return _Builder(self.names).graph(names, graph.node, [item.name for item in graph.output], known, texts)

    def _add(self, node: DrawnNode) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _name(self, name: str) -> str:
        return self.names.values.get(name, name)


def _captured(node: NodeProto) -> Iterator[str]:
    """The names that graphs inside of a node read; those of their own values among them."""
    for graph in subgraphs(node):
        for inner in all_nodes(graph.node):
            yield from inner.input
        yield from (item.name for item in graph.output)


def attribute_text(attribute: AttributeProto, names: Names) -> str:
    """`axis = 1`, in few characters."""
    if attribute.ref_attr_name:
        return f"{attribute.name} = {names.attributes.get(attribute.ref_attr_name, attribute.ref_attr_name)}"
    if attribute.name in ("to", "dtype") and attribute.type == AttributeProto.INT and attribute.i in BY_CODE:
        return f"{attribute.name} = {BY_CODE[attribute.i].name}"
    return f"{attribute.name} = {_value_text(attribute) or '...'}"


def _value_text(attribute: AttributeProto) -> str:
    match attribute.type:
        case AttributeProto.INT:
            return str(attribute.i)
        case AttributeProto.FLOAT:
            return _number(attribute.f)
        case AttributeProto.STRING:
            return _short(repr(attribute.s.decode("utf-8", "replace")))
        case AttributeProto.INTS:
            return _short(str(list(attribute.ints)))
        case AttributeProto.FLOATS:
            return _short(f"[{', '.join(map(_number, attribute.floats))}]")
        case AttributeProto.TENSOR:
            return _tensor_text(attribute.t)
        case _:
            return ""


def _tensor_text(tensor: TensorProto) -> str:
    kind = BY_CODE[tensor.data_type].name if tensor.data_type in BY_CODE else "constant"
    size = int(np.prod(tensor.dims, dtype=np.int64)) if tensor.dims else 1
    if size > 6 or tensor.data_type == TensorProto.STRING:
        return f"{kind}[{', '.join(map(str, tensor.dims))}]"
    array = numpy_helper.to_array(tensor)
    texts = [_number(float(item)) if array.dtype.kind not in "iub" else str(item) for item in array.ravel()]
    return _short(texts[0] if not tensor.dims else f"[{', '.join(texts)}]")


def _number(value: float) -> str:
    return f"{value:.6g}"


def _short(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else f"{text[: _MOST_CHARACTERS - 3]}..."
