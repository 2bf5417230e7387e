"""The canonical order of a body's nodes: depth first from the outputs, whatever order they were given in.

A scope is a function's nodes or a subgraph's. Ordering works on names as given; nothing is renamed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from onnx import AttributeProto, GraphProto, NodeProto, SparseTensorProto, TensorProto

from opwright.protos.canonical_operators import Operator
from opwright.protos.canonical_tensors import RefusedError

Resolver = Callable[[NodeProto], Operator]
Tensor = TensorProto | SparseTensorProto


class Node:
    """A node with its meaning. `reads` are its inputs and what its graphs capture; `graphs` has those by attribute."""

    __slots__ = ("attributes", "graphs", "inputs", "operator", "outputs", "reads")

    def __init__(
        self,
        operator: Operator,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attributes: Sequence[AttributeProto],
        graphs: Mapping[str, tuple[Graph, ...]],
    ) -> None:
        self.operator = operator
        self.inputs = inputs
        self.outputs = outputs
        self.attributes = attributes
        self.graphs = graphs
        if graphs:
            captured = (name for parts in graphs.values() for graph in parts for name in graph.captures)
            self.reads: Sequence[str] = (*inputs, *captured)
        else:
            self.reads = inputs

    @property
    def pure(self) -> bool:
        """Whether it may be dropped when nothing reads it."""
        if self.operator.control_flow:
            return all(node.pure for parts in self.graphs.values() for graph in parts for node in graph.nodes)
        return self.operator.deterministic


@dataclass(frozen=True, slots=True)
class Graph:
    """A subgraph: its nodes in canonical order; the outer names that it reads and its initializers, by first use."""

    proto: GraphProto
    nodes: tuple[Node, ...]
    captures: tuple[str, ...]
    initializers: Mapping[str, Tensor]


@dataclass(slots=True)
class Scope:
    """Names defined in one scope: by a node, or otherwise (inputs, initializers)."""

    nodes: Sequence[Node]
    producers: dict[str, int]
    locals: set[str]


def read_nodes(protos: Iterable[NodeProto], resolve: Resolver) -> list[Node]:
    """The nodes with their meanings, in the order given, trailing absent inputs trimmed."""
    nodes: list[Node] = []
    for proto in protos:
        operator = resolve(proto)
        inputs, outputs = proto.input[:], proto.output[:]  # a slice takes half the time of tuple() or list()
        if "" in inputs:
            inputs = _trim(inputs)
        if "" in outputs and operator.trims_outputs:
            outputs = _trim(outputs)
        attributes = proto.attribute[:]
        graphs = _graphs(operator, attributes, resolve) if attributes else _NO_GRAPHS
        nodes.append(Node(operator, inputs, outputs, attributes, graphs))
    return nodes


def _trim(names: list[str]) -> list[str]:
    while names and not names[-1]:
        names.pop()
    return names


_NO_GRAPHS: Mapping[str, tuple[Graph, ...]] = {}


def _graphs(
    operator: Operator, attributes: Sequence[AttributeProto], resolve: Resolver
) -> Mapping[str, tuple[Graph, ...]]:
    """The graphs among the attributes by attribute name, in the order in which they will be written."""
    found: dict[str, tuple[Graph, ...]] = {}
    for attribute in attributes:
        if attribute.ref_attr_name:
            continue
        if attribute.type == AttributeProto.GRAPH:
            found[attribute.name] = (read_graph(attribute.g, resolve),)
        elif attribute.type == AttributeProto.GRAPHS:
            found[attribute.name] = tuple(read_graph(graph, resolve) for graph in attribute.graphs)
    return {name: found[name] for name in sorted(found, key=operator.canonical_attribute)} if found else _NO_GRAPHS


def read_graph(proto: GraphProto, resolve: Resolver) -> Graph:
    """A subgraph in canonical order. Recurses on nesting, which protobuf bounds."""
    initializers: dict[str, Tensor] = {}
    named: list[tuple[str, Tensor]] = [(tensor.name, tensor) for tensor in proto.initializer]
    named += ((sparse.values.name, sparse) for sparse in proto.sparse_initializer)
    for name, tensor in named:
        if name in initializers:
            raise RefusedError(f"the value {name!r} is defined twice")
        initializers[name] = tensor
    inputs = [value.name for value in proto.input]
    outputs = [value.name for value in proto.output]
    if "" in inputs or "" in outputs or "" in initializers:
        raise RefusedError("a graph has an input, output or initializer without a name")
    nodes = read_nodes(proto.node, resolve)
    scope = make_scope(nodes, inputs, initializers)
    captures: dict[str, None] = {}
    ordered = order_nodes(scope, outputs, captures)
    used = [name for node in ordered for name in node.reads]
    in_order = {name: initializers[name] for name in (*inputs, *used, *outputs) if name in initializers}
    return Graph(proto, tuple(ordered), tuple(captures), in_order)


def make_scope(nodes: Sequence[Node], inputs: Sequence[str], initializers: Iterable[str] = ()) -> Scope:
    """The definitions of a scope. Raises RefusedError when a name is defined twice."""
    defined = set(inputs)
    if len(defined) != len(inputs):
        raise RefusedError("two inputs have one name")
    producers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in node.outputs:
            if name:
                if name in producers or name in defined:
                    raise RefusedError(f"the value {name!r} is defined twice")
                producers[name] = index
    for name in initializers:
        if name in producers:
            raise RefusedError(f"the value {name!r} is defined twice")
        defined.add(name)
    return Scope(nodes, producers, defined)


def order_nodes(scope: Scope, outputs: Iterable[str], captures: dict[str, None]) -> list[Node]:
    """The nodes that the outputs need, a node behind those it reads; then the others that are not pure.

    Those others keep the order given: an unused random operator changes what the next one gives.
    Names that the scope does not define are added to `captures` in the order of their first use.
    """
    walk = _Walk(scope, captures)
    for name in outputs:
        walk.visit(name)
    if len(walk.order) < len(scope.nodes):
        for index, node in enumerate(scope.nodes):
            if not node.pure:
                walk.visit_node(index)
    return [scope.nodes[index] for index in walk.order]


class _Walk:
    """Depth-first, without recursion; the position at which a node was reached is its place in the canonical order."""

    def __init__(self, scope: Scope, captures: dict[str, None]) -> None:
        self.scope = scope
        self.captures = captures
        self.order: list[int] = []
        self.state = bytearray(len(scope.nodes))  # 0 not seen, 1 open, 2 done

    def visit(self, name: str) -> None:
        index = self.scope.producers.get(name)
        if index is not None:
            self.visit_node(index)
        elif name and name not in self.scope.locals:
            self.captures.setdefault(name)

    def visit_node(self, root: int) -> None:
        nodes, producers, state = self.scope.nodes, self.scope.producers, self.state
        if state[root]:
            return
        state[root] = 1
        stack: list[tuple[int, Iterator[str]]] = [(root, iter(nodes[root].reads))]
        while stack:
            current, reads = stack[-1]
            for name in reads:
                index = producers.get(name)
                if index is None:
                    if name and name not in self.scope.locals:
                        self.captures.setdefault(name)
                elif not state[index]:
                    state[index] = 1
                    stack.append((index, iter(nodes[index].reads)))
                    break
                elif state[index] == 1:
                    raise RefusedError(f"the value {name!r} depends on itself")
            else:
                state[current] = 2
                self.order.append(current)
                stack.pop()
