"""What the nodes of a finished model are: one walk over them answers all that is asked of it before it is given out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from onnx import ModelProto, NodeProto, OperatorSetIdProto

from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.walk import subgraphs
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import CAST, SCAN

Kinds = dict[FunctionId, int]  # how many nodes there are of each domain, operator or function, and overload


class Nodes:
    """The nodes of a graph or of a function, by kind; those of graphs within it count as its own.

    `ids`: the same with ONNX's two spellings of the default domain as one. `elements` are the codes of element types
    that their attributes name.
    """

    __slots__ = ("elements", "has_metadata", "ids", "kinds")

    def __init__(self, nodes: Iterable[NodeProto]) -> None:
        self.elements: set[int] = set()
        self.has_metadata = False
        kinds = self.kinds = dict[FunctionId, int]()
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
        self.ids = _ids_of(kinds)

    def _note_elements(self, node: NodeProto) -> None:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                self.elements.add(attribute.t.data_type)
            elif attribute.name == "to" and CAST.describes(node):
                self.elements.add(attribute.i)

    def called(self) -> list[FunctionId]:
        """The functions that they call, if there are any of these ids."""
        return list(self.ids)


class Survey:
    """The nodes of a model as they are when this is made: `bodies` has the kinds of the graph's first, then those of
    each function, with what is imported there.

    `counted`: the nodes of the graph and of the functions, where they have been counted before.
    """

    def __init__(self, model: ModelProto, counted: Sequence[Nodes] | None = None) -> None:
        if counted is None:
            counted = count_nodes(model)
        self.elements = {code for nodes in counted for code in nodes.elements}
        self.has_metadata = any(nodes.has_metadata for nodes in counted)
        self.functions = [function_id(function) for function in model.functions]
        imports = [model.opset_import, *(item.opset_import for item in model.functions)]
        self.bodies = [(_imports(items), nodes.kinds) for items, nodes in zip(imports, counted, strict=True)]
        self._ids = [nodes.ids for nodes in counted]

    @property
    def has_scan(self) -> bool:
        """Whether runtimes must derive ranks, from those of the inputs."""
        scan = (SCAN.domain, SCAN.name, "")
        return any(scan in ids for ids in self._ids)

    def calls(self) -> int:
        """How many nodes call functions of the model."""
        functions = {*self.functions}
        return sum(count for ids in self._ids for identity, count in ids.items() if identity in functions)

    def visited_nodes(self) -> int:
        """The nodes of the model as if every call were inlined. Functions stand in it callees first."""
        graph, *bodies = self._ids
        sizes: dict[FunctionId, int] = {}
        for identity, ids in zip(self.functions, bodies, strict=True):
            sizes[identity] = _sum(ids, sizes)
        return _sum(graph, sizes)


def count_nodes(model: ModelProto) -> list[Nodes]:
    """Those of the graph, and those of each function."""
    return [Nodes(model.graph.node), *(Nodes(function.node) for function in model.functions)]


def _imports(items: Iterable[OperatorSetIdProto]) -> dict[str, int]:
    return {item.domain: item.version for item in items}


def _ids_of(kinds: Kinds) -> Kinds:
    """The kinds by the functions that nodes of them call, if there are any of these ids."""
    found: Kinds = {}
    for kind, count in kinds.items():
        domain, name, overload = kind
        identity = kind if domain == normal_domain(domain) else (normal_domain(domain), name, overload)
        found[identity] = found.get(identity, 0) + count
    return found if len(found) < len(kinds) or found.keys() != kinds.keys() else kinds


def _sum(ids: Kinds, sizes: Mapping[FunctionId, int]) -> int:
    return sum(count * (1 + sizes.get(identity, 0)) for identity, count in ids.items())
