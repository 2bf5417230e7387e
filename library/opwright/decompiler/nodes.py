"""The nodes of a graph, with what is asked of each of them fetched once: protobuf makes its objects anew each time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from onnx import GraphProto, NodeProto

from opwright.decompiler.operator_forms import Forms
from opwright.graphs.walk import all_graphs, subgraphs
from opwright.opsets.signatures import Signature


class Nodes:
    """`operators` and `domains` name the operators of the nodes; `firsts` are their first outputs, empty where there is
    none."""

    __slots__ = ("domains", "firsts", "listed", "operators")

    def __init__(self, nodes: Iterable[NodeProto]) -> None:
        self.listed = [*nodes]
        self.operators = [node.op_type for node in self.listed]
        self.domains = [node.domain for node in self.listed]
        self.firsts = [outputs[0] if (outputs := node.output) else "" for node in self.listed]

    def graphs(self, forms: Forms) -> Iterator[GraphProto]:
        """The graphs inside the nodes, and those inside of these."""
        for node in self.with_graphs(forms):
            for graph in subgraphs(node):
                yield from all_graphs(graph)

    def with_graphs(self, forms: Forms) -> list[NodeProto]:
        """The nodes that may have graphs as attributes."""
        return self._such_as(forms, lambda found: found.takes_graphs)

    def with_more_outputs(self, forms: Forms) -> list[NodeProto]:
        """The nodes that may have other outputs than the first."""
        return self._such_as(forms, lambda found: found.max_outputs != 1)

    def _such_as(self, forms: Forms, is_such: Callable[[Signature], bool]) -> list[NodeProto]:
        """The nodes of operators of the standard that are such, and those of any others."""
        signatures = {name: forms.standard(name) for name in dict.fromkeys(self.operators)}
        such = {name for name, found in signatures.items() if found is None or is_such(found)}
        rows = zip(self.listed, self.operators, self.domains, strict=True)
        return [node for node, name, domain in rows if domain or name in such]
