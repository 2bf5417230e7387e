"""Puts the body of a function in the place of its calls.

onnx's own inliner leaves out the defaults of `attribute_proto`, so this one is ours. A call inside an inlined body
is inlined in turn, by a stack, since chains of calls may be long; subgraphs by recursion, since protobuf bounds their
nesting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_graphs, all_nodes, names_of, subgraphs
from opwright.opsets.records import IDENTITY

MOST_NODES = 100_000  # in one function
DEEPEST_GRAPH = 32  # nested subgraphs that protobuf parsers read, where their values have no types
_SHALLOW = 20  # that they always read
_LONGEST_NAME = 1_000  # characters of a node's name
_MOST_TEXT = 1 << 28  # characters of all names that are made

_NAMESPACE = "namespace"  # the key under which exporters say where a node is from, from outside in, `/` between

Select = Callable[[FunctionId], FunctionProto | None]
Origin = Callable[[FunctionProto], str]


def inline_model(model: ModelProto, *, most_nodes: int = 10 * MOST_NODES, origin: Origin | None = None) -> None:
    """Inlines every function of a model, in place, and removes them.

    With `origin`, which says where a function is from, or nothing, nodes get that as a `namespace` in their metadata:
    that of the call, then the function and the number of the node in it. Raises DiagnosticError (OW565) when the
    result would exceed `most_nodes` nodes or protobuf's nesting.
    """
    functions = {function_id(function): function for function in model.functions}
    taken = {name for graph in all_graphs(model.graph) for name in names_of(graph)}
    taken_nodes = {node.name for node in all_nodes(model.graph.node)}
    Inliner(functions.get, taken, taken_nodes, most_nodes, origin=origin).rewrite(model.graph)
    del model.functions[:]
    if nesting(model.graph.node) > _SHALLOW:
        try:
            ModelProto.FromString(model.SerializeToString())
        except DecodeError:
            raise DiagnosticError([_too_deep()]) from None


def nesting(nodes: Iterable[NodeProto]) -> int:
    """How many graphs stand inside one another in the nodes."""
    return max((1 + nesting(graph.node) for node in nodes for graph in subgraphs(node)), default=0)


def inline_into(function: FunctionProto, select: Select) -> None:
    """Inlines, in place, the calls of those functions that `select` gives."""
    taken = {*function.input, *function.output}
    for node in all_nodes(function.node):
        taken.update(node.output)
        for graph in subgraphs(node):
            taken.update(names_of(graph))
    taken_nodes = {node.name for node in all_nodes(function.node)}
    inliner = Inliner(select, taken, taken_nodes, MOST_NODES, frozenset(function.attribute))
    _replace(function, inliner.expand(function.node, 0))


@dataclass(slots=True)
class Inliner:
    """Inlines into graphs that share one set of names.

    `taken` holds every value name in use, `taken_nodes` every node's; they grow.
    `unsure` are attributes of the function that is inlined into which a call of it may leave out. `origin` is that of
    `inline_model`.
    """

    select: Select
    taken: set[str]
    taken_nodes: set[str]
    most_nodes: int
    unsure: frozenset[str] = frozenset()
    origin: Origin | None = None
    _count: int = 0
    _text: int = 0
    _next: dict[str, int] = field(default_factory=dict)

    def rewrite(self, graph: GraphProto, depth: int = 0) -> None:
        """Inlines into a graph and its subgraphs, in place."""
        if not any(self.select(call_id(node)) for node in all_nodes(graph.node)):
            return
        _replace(graph, self.expand(graph.node, depth))

    def expand(self, nodes: Iterable[NodeProto], depth: int) -> list[NodeProto]:
        """The nodes with selected calls replaced, to any depth of calls."""
        if depth > DEEPEST_GRAPH:
            raise DiagnosticError([_too_deep()])
        result: list[NodeProto] = []
        stack: list[Iterator[NodeProto]] = [iter(list(nodes))]
        open_calls: dict[FunctionId, None] = {}  # innermost last, one for each level of the stack but the first
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                if open_calls:
                    open_calls.popitem()
                continue
            identity = call_id(node)
            function = self.select(identity)
            if function is None:
                for graph in subgraphs(node):
                    self.rewrite(graph, depth + 1)
                result.append(node)
                continue
            if identity in open_calls:
                raise DiagnosticError(
                    [_too_large(f"endlessly many nodes, for {identity[0]}::{identity[1]} calls itself")]
                )
            stack.append(iter(self._body(node, function)))
            open_calls[identity] = None
        return result

    def _body(self, call: NodeProto, function: FunctionProto) -> list[NodeProto]:
        """The nodes of a function for one call: actual names for formal ones, fresh names for the others."""
        names: dict[str, str] = {}
        for index, formal in enumerate(function.input):
            names[formal] = call.input[index] if index < len(call.input) else ""
        copies: list[tuple[str, str]] = []
        for index, formal in enumerate(function.output):
            actual = call.output[index] if index < len(call.output) else ""
            if formal not in names:
                names[formal] = actual or self._fresh(formal)
            elif actual:
                copies.append((names[formal], actual))
        attributes = {attribute.name: attribute for attribute in function.attribute_proto}
        for attribute in call.attribute:
            if attribute.name in attributes and attribute.ref_attr_name in self.unsure:
                raise DiagnosticError([_default_lost(call, attribute)])
        attributes.update({attribute.name: attribute for attribute in call.attribute})
        nodes = [self._copy(node, [names], attributes) for node in function.node]
        for node in nodes:
            node.name = self._node_name(call.name, node)
        if self.origin is not None:
            _say_origin(nodes, call, self.origin(function))
        return nodes + [NodeProto(op_type=IDENTITY.name, input=[source], output=[target]) for source, target in copies]

    def _copy(
        self, node: NodeProto, scopes: list[dict[str, str]], attributes: Mapping[str, AttributeProto]
    ) -> NodeProto:
        self._count += 1
        if self._count > self.most_nodes:
            raise DiagnosticError([_too_large(f"more than {self.most_nodes} nodes")])
        copy = NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = [self._lookup(name, scopes) for name in node.input]
        copy.output[:] = [self._define(name, scopes[-1]) for name in node.output]
        resolved = [_resolve(attribute, attributes) for attribute in copy.attribute]
        del copy.attribute[:]
        copy.attribute.extend(attribute for attribute in resolved if attribute is not None)
        for index, graph in enumerate(subgraphs(copy)):
            graph.name = graph.name or f"graph{index}"
            self._copy_graph(graph, scopes, attributes)
        return copy

    def _copy_graph(
        self, graph: GraphProto, scopes: list[dict[str, str]], attributes: Mapping[str, AttributeProto]
    ) -> None:
        """Renames a copied subgraph; what it defines is new, whatever names there are around it."""
        inner: dict[str, str] = {}
        layers = [*scopes, inner]
        for value in graph.input:
            value.name = self._define(value.name, inner)
        for tensor in graph.initializer:
            tensor.name = self._define(tensor.name, inner)
        for sparse in graph.sparse_initializer:
            sparse.values.name = self._define(sparse.values.name, inner)
        nodes = [self._copy(node, layers, attributes) for node in graph.node]
        del graph.node[:]
        graph.node.extend(nodes)
        for value in graph.output:
            value.name = self._lookup(value.name, layers)
        del graph.value_info[:]
        del graph.quantization_annotation[:]

    def _lookup(self, name: str, scopes: list[dict[str, str]]) -> str:
        for names in reversed(scopes):
            if name in names:
                return names[name]
        return name and self._define(name, scopes[0])

    def _define(self, name: str, names: dict[str, str]) -> str:
        if not name:
            return ""
        if name not in names:
            names[name] = self._fresh(name)
        return names[name]

    def _node_name(self, call: str, node: NodeProto) -> str:
        """Names of nodes are optional, but two of one name are refused by onnxruntime."""
        name = _shortened(f"{call}/{node.name or node.op_type}") if call else node.name
        if not name or name not in self.taken_nodes:
            self.taken_nodes.add(name)
            return name
        number = self._next.get(f"node {name}", 0)
        while (unique := f"{name}_{number}") in self.taken_nodes:
            number += 1
        self._next[f"node {name}"] = number + 1
        self.taken_nodes.add(unique)
        return unique

    def _fresh(self, hint: str) -> str:
        """A name that nothing in the model has."""
        number = self._next.get(hint, 0)
        while (name := f"{hint}_{number}") in self.taken:
            number += 1
        self._next[hint] = number + 1
        self.taken.add(name)
        self._text += len(name)
        if self._text > _MOST_TEXT:
            raise DiagnosticError([_too_large(f"names of more than {_MOST_TEXT} characters")])
        return name


def _say_origin(nodes: Sequence[NodeProto], call: NodeProto, origin: str) -> None:
    """Writes into the metadata of the nodes of a function, and of graphs within them, where they are from."""
    around = _namespace(call)
    for index, node in enumerate(nodes):
        place = f"{origin}, node {index}" if origin else ""
        for inner in all_nodes([node]):
            text = "/".join(filter(None, (around, place, _namespace(inner))))
            kept = [item for item in inner.metadata_props if item.key != _NAMESPACE]
            del inner.metadata_props[:]
            inner.metadata_props.extend(kept)
            if text:
                inner.metadata_props.add(key=_NAMESPACE, value=text)


def _namespace(node: NodeProto) -> str:
    return next((item.value for item in node.metadata_props if item.key == _NAMESPACE), "")


def _shortened(name: str) -> str:
    """The name, its middle left out where it is long: with each level of calls it would grow."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME // 2]}..{name[-_LONGEST_NAME // 2 :]}"


def _resolve(attribute: AttributeProto, given: Mapping[str, AttributeProto]) -> AttributeProto | None:
    """An attribute with the value that it refers to; None when the call has none."""
    if not attribute.ref_attr_name:
        return attribute
    value = given.get(attribute.ref_attr_name)
    if value is None:
        return None
    resolved = AttributeProto()
    resolved.CopyFrom(value)
    resolved.name = attribute.name
    return resolved


def _replace(owner: GraphProto | FunctionProto, nodes: Sequence[NodeProto]) -> None:
    """Gives a graph or function these nodes. Raises DiagnosticError where they nest deeper than protobuf copies."""
    del owner.node[:]
    try:
        owner.node.extend(nodes)
    except DecodeError:
        raise DiagnosticError([_too_deep()]) from None


def _too_deep() -> Diagnostic:
    return _too_large(f"more than {DEEPEST_GRAPH} nested subgraphs")


def _too_large(what: str) -> Diagnostic:
    return Diagnostic(
        "OW565",
        f"inlining would make {what}",
        reason="every call gets a copy of the function's nodes",
        help="keep the functions as functions (leave out --inline), or call them less deeply",
    )


def _default_lost(call: NodeProto, attribute: AttributeProto) -> Diagnostic:
    return Diagnostic(
        "OW565",
        f"{call.domain}::{call.op_type} cannot be inlined into a function that may not have {attribute.ref_attr_name}",
        reason=f"where the caller has no {attribute.ref_attr_name}, the default of {attribute.name} would be lost",
        help=f"give {attribute.ref_attr_name} a default",
    )
