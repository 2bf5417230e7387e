"""What the nodes of a finished model are: one walk over them answers all that is asked of it before it is given out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx import ModelProto, NodeProto, OperatorSetIdProto

from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.walk import subgraphs
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import CAST, SCAN

Kinds = dict[FunctionId, int]  # how many nodes there are of each domain, operator or function, and overload


class Survey:
    """The nodes of a model as they are when this is made, by kind: `bodies` has the graph's first, then those of each
    function, with what is imported there. Nodes of graphs within a body count as its own.

    `elements` are the codes of element types that attributes name.
    """

    def __init__(self, model: ModelProto) -> None:
        self.elements: set[int] = set()
        self.has_metadata = False
        self.functions = [function_id(function) for function in model.functions]
        self.bodies = [(_imports(model.opset_import), self._count(model.graph.node))]
        self.bodies += [(_imports(item.opset_import), self._count(item.node)) for item in model.functions]

    def _count(self, nodes: Iterable[NodeProto]) -> Kinds:
        kinds: Kinds = {}
        pending = [nodes]
        while pending:
            for node in pending.pop():
                kind = (node.domain, node.op_type, node.overload)
                kinds[kind] = kinds.get(kind, 0) + 1
                if node.metadata_props:
                    self.has_metadata = True
                if node.attribute:
                    self._note_elements(node)
                    pending.extend(graph.node for graph in subgraphs(node))
        return kinds

    def _note_elements(self, node: NodeProto) -> None:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                self.elements.add(attribute.t.data_type)
            elif attribute.name == "to" and CAST.describes(node):
                self.elements.add(attribute.i)

    @property
    def has_scan(self) -> bool:
        """Whether runtimes must derive ranks, from those of the inputs."""
        return any(
            name == SCAN.name and normal_domain(domain) == SCAN.domain
            for _, kinds in self.bodies
            for domain, name, _ in kinds
        )

    def calls(self) -> int:
        """How many nodes call functions of the model."""
        functions = {*self.functions}
        return sum(
            count
            for _, kinds in self.bodies
            for (domain, name, overload), count in kinds.items()
            if (normal_domain(domain), name, overload) in functions
        )

    def visited_nodes(self) -> int:
        """The nodes of the model as if every call were inlined. Functions stand in it callees first."""
        (_, graph), *bodies = self.bodies
        sizes: dict[FunctionId, int] = {}
        for identity, (_, kinds) in zip(self.functions, bodies, strict=True):
            sizes[identity] = _sum(kinds, sizes)
        return _sum(graph, sizes)


def _imports(items: Iterable[OperatorSetIdProto]) -> dict[str, int]:
    return {item.domain: item.version for item in items}


def _sum(kinds: Kinds, sizes: Mapping[FunctionId, int]) -> int:
    return sum(
        count * (1 + sizes.get((normal_domain(domain), name, overload), 0))
        for (domain, name, overload), count in kinds.items()
    )
