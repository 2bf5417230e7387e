"""A name of its own for each value, so that names tell values apart in all that follows.

ONNX lets a graph inside a node name a value as it likes, but for what it sees: like one of another branch, like one
that comes later in the graphs around it, like a result of that very node. The statements of a function in Python share
one scope, where each of these would be the same variable; and ONNX's inference takes a value inside for one around it.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TypeVar

from onnx import FunctionProto, GraphProto, ModelProto

from opwright.graphs.node_columns import ColumnsOf, NodeColumns
from opwright.graphs.walk import all_nodes, subgraphs

Proto = TypeVar("Proto", ModelProto, FunctionProto)
Scope = ChainMap[str, str]  # names that values have instead, those of the innermost graph first


def with_distinct_names(proto: Proto, columns: ColumnsOf) -> Proto:
    """The model or function with no name for two values of it, those of graphs inside nodes included; itself where that
    is so already. Values outside of such graphs keep their names. `columns` has those of the nodes."""
    return distinct_names(proto, columns)[0]


def distinct_names(proto: Proto, columns: ColumnsOf) -> tuple[Proto, Mapping[str, str]]:
    """What `with_distinct_names` gives, and the names that values had, by those that they were given."""
    body: GraphProto | FunctionProto = _body(proto)
    inside = [*map(_given_by, _graphs_inside(columns(body)))]
    if not inside:
        return proto, {}
    around = _given_by(body)
    taken = around.union(*inside)
    if len(taken) == len(around) + sum(map(len, inside)):
        return proto, {}
    made = type(proto)()
    made.CopyFrom(proto)
    renaming = _Renaming(around, taken)
    for node in _body(made).node:
        for graph in subgraphs(node):
            renaming.apply(graph, ChainMap())
    return made, renaming.before


def _body(proto: ModelProto | FunctionProto) -> GraphProto | FunctionProto:
    return proto.graph if isinstance(proto, ModelProto) else proto


def _graphs_inside(nodes: NodeColumns) -> Iterator[GraphProto]:
    holders = [nodes.protos[index] for index in nodes.with_others]
    return (graph for node in all_nodes(holders) for graph in subgraphs(node))


def _given_by(owner: GraphProto | FunctionProto) -> set[str]:
    """The names of the values that a graph or function takes or makes, without those of graphs inside."""
    names = {*chain.from_iterable(node.output for node in owner.node)}
    if isinstance(owner, FunctionProto):
        names.update(owner.input)
    else:
        names.update(value.name for value in owner.input)
        names.update(tensor.name for tensor in owner.initializer)
        names.update(tensor.values.name for tensor in owner.sparse_initializer)
    return names - {""}


class _Renaming:
    """Renames values of graphs, in place. `met` are the names of values so far, `taken` those of all there are;
    `before` are the names that values had, by the new ones."""

    def __init__(self, met: set[str], taken: set[str]) -> None:
        self.before: dict[str, str] = {}
        self._met = met
        self._taken = taken
        self._numbers: dict[str, int] = {}  # the last that was put behind a name

    def apply(self, graph: GraphProto, around: Scope) -> None:
        """Renames those that the graph and the ones inside it give; `around` is the scope of the node it stands in."""
        given = sorted(_given_by(graph))
        scope = around.new_child({name: self._fresh(name) for name in given if name in self._met})
        self._met.update(given)
        for value in (*graph.input, *graph.output, *graph.value_info):
            value.name = scope.get(value.name, value.name)
        for tensor in graph.initializer:
            tensor.name = scope.get(tensor.name, tensor.name)
        for sparse in graph.sparse_initializer:
            sparse.values.name = scope.get(sparse.values.name, sparse.values.name)
        for node in graph.node:
            for names in (node.input, node.output):
                if not scope.keys().isdisjoint(names):
                    names[:] = [scope.get(name, name) for name in names]
            for inner in subgraphs(node):
                self.apply(inner, scope)

    def _fresh(self, name: str) -> str:
        found = name
        while found in self._taken:
            self._numbers[name] = self._numbers.get(name, 0) + 1
            found = f"{name}_{self._numbers[name]}"
        self._taken.add(found)
        self.before[found] = name
        return found
