"""Values of whose types the compiler knows nothing: those that operators give which nothing describes, and others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onnx import NodeProto

from opwright.decompiler.operator_forms import Forms
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.opsets.records import IF, LOOP


def untyped_values(nodes: Sequence[NodeProto], forms: Forms) -> set[str]:
    """The names of such values in a function, graphs within it included: any that a node gives which reads one, and
    all that graphs take and give in which there is one."""
    found: set[str] = set()
    if not forms.may_be_open or not any(map(forms.is_open, all_nodes(nodes))):
        return found
    listed = list(all_nodes(nodes))
    before = -1
    while before < len(found):
        before = len(found)
        for node in listed:
            graphs = list(subgraphs(node))
            inside = (inner for graph in graphs for inner in all_nodes(graph.node))
            if _gives_unknown(node, forms, found) or any(_gives_unknown(inner, forms, found) for inner in inside):
                found.update(node.output)
                found.update(item.name for graph in graphs for item in graph.input)
    return found - {""}


def _gives_unknown(node: NodeProto, forms: Forms, found: set[str]) -> bool:
    return forms.is_open(node) or not found.isdisjoint(node.input)


def conditions_among(nodes: Iterable[NodeProto], untyped: set[str]) -> dict[str, str]:
    """What annotations say of those that decide whether and how often graphs run, where each is the one result of its
    node: there ONNX takes one type alone."""
    wanted: dict[str, str] = {}
    single: set[str] = set()
    for node in all_nodes(nodes) if untyped else ():
        if len(node.output) == 1:
            single.add(node.output[0])
        if IF.describes(node):
            wanted[node.input[0]] = "BOOL"
        elif LOOP.describes(node):
            wanted.update(zip(node.input[:2], ("INT64", "BOOL"), strict=False))
            wanted.update((graph.output[0].name, "BOOL") for graph in subgraphs(node))
    return {name: element for name, element in wanted.items() if name in untyped and name in single}
