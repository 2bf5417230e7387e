"""The nodes of a graph, with what is asked of each of them fetched once: protobuf makes its objects anew each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from onnx import GraphProto, NodeProto

from opwright.decompiler.operator_forms import Forms
from opwright.graphs.walk import all_graphs, subgraphs
from opwright.opsets.signatures import Signature


class Nodes:
    """`listed` are the nodes as they come; none of them is kept, which would cost more than to fetch it again.

    `operators` and `domains` name their operators; `firsts` are their first outputs, empty where there is none.
    """

    __slots__ = ("domains", "firsts", "listed", "operators")

    def __init__(self, nodes: Sequence[NodeProto]) -> None:
        self.listed = nodes
        self.operators: list[str] = []
        self.domains: list[str] = []
        self.firsts: list[str] = []
        for node in nodes:
            self.operators.append(node.op_type)
            self.domains.append(node.domain)
            outputs = node.output
            self.firsts.append(outputs[0] if outputs else "")

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
        such = {name for name in {*self.operators} if (found := forms.standard(name)) is None or is_such(found)}
        if not such and not any(self.domains):
            return []
        rows = enumerate(zip(self.operators, self.domains, strict=True))
        return [self.listed[index] for index, (name, domain) in rows if domain or name in such]
