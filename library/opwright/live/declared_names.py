"""Names in ONNX that are no names in Python: they are given to a finished model or function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.walk import all_graphs, all_nodes
from opwright.opsets.records import IDENTITY


def rename_graph(model: ModelProto, names: Mapping[str, str]) -> None:
    """Gives inputs, outputs and initializers of the graph the names that `names` maps theirs to.

    An inner value that has such a name gets another one. An output that is an input or initializer as it is may have
    its name: it is that value then. Raises DiagnosticError where a name is none of the graph's interface, or two values
    would have one name.
    """
    graph = model.graph
    names = _handed_through(graph, names)
    interface = _declared_in(graph)
    mapping = _mapping(names, interface, (name for inner in all_graphs(graph) for name in _made_in(inner)))
    for inner in all_graphs(graph):
        for item in (*inner.input, *inner.output, *inner.value_info):
            item.name = mapping.get(item.name, item.name)
        for tensor in inner.initializer:
            tensor.name = mapping.get(tensor.name, tensor.name)
        for sparse in inner.sparse_initializer:
            sparse.values.name = mapping.get(sparse.values.name, sparse.values.name)
    _rename_nodes(all_nodes(graph.node), mapping)


def _handed_through(graph: GraphProto, names: Mapping[str, str]) -> dict[str, str]:
    """Takes out the Identity before each output that has the name of what it is made of; the names of the others."""
    given = [*(item.name for item in graph.input), *(item.name for item in graph.initializer)]
    called = {names.get(name, name): name for name in given}
    makers = {node.output[0]: node for node in graph.node if IDENTITY.describes(node)}
    left = dict(names)
    for output in graph.output:
        source = called.get(names.get(output.name, ""))
        maker = makers.get(output.name)
        if source is not None and maker is not None and maker.input[0] == source:
            del left[output.name]
            graph.node.remove(maker)
            _rename_nodes(all_nodes(graph.node), {output.name: source})
            output.name = source
    return left


def rename_function(proto: FunctionProto, names: Mapping[str, str]) -> None:
    """The same of a function: its inputs and outputs."""
    made = (name for node in all_nodes(proto.node) for name in node.output)
    mapping = _mapping(names, [*proto.input, *proto.output], made)
    for field in (proto.input, proto.output):
        field[:] = [mapping.get(name, name) for name in field]
    nodes = list(all_nodes(proto.node))
    _rename_nodes(nodes, mapping)
    for graph in (attribute.g for node in nodes for attribute in node.attribute if attribute.HasField("g")):
        for item in (*graph.input, *graph.output, *graph.value_info):
            item.name = mapping.get(item.name, item.name)


def _declared_in(graph: GraphProto) -> list[str]:
    """The names of inputs, outputs and initializers."""
    tensors = [*(item.name for item in graph.initializer), *(item.values.name for item in graph.sparse_initializer)]
    return [*(item.name for item in (*graph.input, *graph.output)), *tensors]


def _made_in(graph: GraphProto) -> Iterator[str]:
    yield from _declared_in(graph)
    for item in graph.value_info:
        yield item.name
    for node in graph.node:
        yield from node.output


def _mapping(names: Mapping[str, str], interface: Iterable[str], made: Iterable[str]) -> dict[str, str]:
    """The old name of each value that changes its name, to the new one."""
    owners = dict.fromkeys(interface)
    unknown = [name for name in names if name not in owners]
    if unknown:
        listed = ", ".join(f"`{name}`" for name in owners)
        raise DiagnosticError([_refused(f"`{unknown[0]}` is no input and no output", f"they are {listed}")])
    empty = [name for name, new in names.items() if not isinstance(new, str) or not new]
    if empty:
        text = f"`{empty[0]}` cannot be called {names[empty[0]]!r}"
        raise DiagnosticError([_refused(text, "a name is a text that is not empty")])
    mapping = {name: new for name, new in names.items() if name != new}
    holders: dict[str, str] = {name: name for name in owners if name not in mapping}
    for name, new in mapping.items():
        other = holders.setdefault(new, name)
        if other != name:
            text = f"`{other}` and `{name}` would have one name, {new!r}"
            raise DiagnosticError([_refused(text, "names of a graph are its own")])
    wanted = set(mapping.values())
    taken = {*made, *wanted}
    for name in sorted(wanted & taken):
        if name not in mapping and name not in owners:
            number = 1
            while f"{name}_{number}" in taken:
                number += 1
            mapping[name] = f"{name}_{number}"
            taken.add(mapping[name])
    return mapping


def _rename_nodes(nodes: Iterable[NodeProto], mapping: Mapping[str, str]) -> None:
    def renamed(field: Any) -> None:
        if any(name in mapping for name in field):
            field[:] = [mapping.get(name, name) for name in field]

    for node in nodes:
        renamed(node.input)
        renamed(node.output)


def _refused(message: str, reason: str) -> Diagnostic:
    return Diagnostic("OW354", message, reason=reason, help="`names` maps the names of the Python function to ONNX's")
