"""Those nodes of a graph that need a look at the nodes themselves, found by the columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from onnx import GraphProto, NodeProto

from opwright.decompiler.operator_forms import Forms
from opwright.graphs.node_columns import NodeColumns
from opwright.graphs.walk import all_graphs, subgraphs
from opwright.opsets.signatures import Signature


def graphs_inside(nodes: NodeColumns, forms: Forms) -> Iterator[GraphProto]:
    """The graphs inside the nodes, and those inside of these."""
    for node in with_graphs(nodes, forms):
        for graph in subgraphs(node):
            yield from all_graphs(graph)


def with_graphs(nodes: NodeColumns, forms: Forms) -> list[NodeProto]:
    """The nodes that may have graphs as attributes."""
    return _such_as(nodes, forms, lambda found: found.takes_graphs)


def with_more_outputs(nodes: NodeColumns, forms: Forms) -> list[NodeProto]:
    """The nodes that may have other outputs than the first."""
    return _such_as(nodes, forms, lambda found: found.max_outputs != 1)


def _such_as(nodes: NodeColumns, forms: Forms, is_such: Callable[[Signature], bool]) -> list[NodeProto]:
    """The nodes of operators of the standard that are such, and those of any others."""
    such = {name for name in {*nodes.operators} if (found := forms.standard(name)) is None or is_such(found)}
    if not such and not any(nodes.domains):
        return []
    rows = enumerate(zip(nodes.operators, nodes.domains, strict=True))
    return [nodes.protos[index] for index, (name, domain) in rows if domain or name in such]
