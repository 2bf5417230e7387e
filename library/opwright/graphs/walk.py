"""Going through the nodes of a model or function and renaming what they refer to.

Subgraphs are visited by recursion: protobuf itself bounds their nesting (parsers stop at 100 messages).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto

GRAPH_KINDS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


def subgraphs(node: NodeProto) -> Iterator[GraphProto]:
    """The graphs among a node's attributes, in order."""
    for attribute in node.attribute:
        if attribute.type in GRAPH_KINDS:
            if attribute.type == AttributeProto.GRAPH:
                yield attribute.g
            yield from attribute.graphs


def subgraphs_by_name(node: NodeProto) -> Sequence[tuple[str, Sequence[GraphProto]]]:
    """The graphs among a node's attributes by attribute name, sorted; no references to a function's attributes."""
    if not any(item.type in GRAPH_KINDS and not item.ref_attr_name for item in node.attribute):
        return []
    found = {
        item.name: [item.g] if item.type == AttributeProto.GRAPH else item.graphs
        for item in node.attribute
        if item.type in GRAPH_KINDS and not item.ref_attr_name
    }
    return sorted(found.items(), key=lambda pair: pair[0])


def all_nodes(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Every node, a node before those of its subgraphs."""
    for node in nodes:
        yield node
        if node.attribute:
            for graph in subgraphs(node):
                yield from all_nodes(graph.node)


def all_graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """The graph and every graph inside it."""
    yield graph
    yield from _graphs_of(graph.node)


def graphs_in(function: FunctionProto) -> Iterator[GraphProto]:
    """Every graph inside a function."""
    return _graphs_of(function.node)


def _graphs_of(nodes: Iterable[NodeProto]) -> Iterator[GraphProto]:
    """Every graph inside the nodes, those of a node before the ones that stand in them."""
    for node in nodes:
        if node.attribute:
            found = [*subgraphs(node)]
            yield from found
            for graph in found:
                yield from _graphs_of(graph.node)


def names_of(graph: GraphProto) -> Iterator[str]:
    """Every value a graph names, those of its subgraphs excepted."""
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
    for tensor in graph.initializer:
        yield tensor.name
    for sparse in graph.sparse_initializer:
        yield sparse.values.name
    for node in graph.node:
        yield from node.output


def rename_values(nodes: Iterable[NodeProto], rename: Callable[[str], str]) -> None:
    """Renames every value that the nodes and their subgraphs read or define; the empty name stays.

    `rename` must be injective on the names in use; scopes and shadowing then stay as they were.
    """
    for node in nodes:
        node.input[:] = [name and rename(name) for name in node.input]
        node.output[:] = [name and rename(name) for name in node.output]
        for graph in subgraphs(node):
            for value in (*graph.input, *graph.output, *graph.value_info):
                value.name = rename(value.name)
            for tensor in graph.initializer:
                tensor.name = rename(tensor.name)
            for sparse in graph.sparse_initializer:
                sparse.values.name = rename(sparse.values.name)
            for annotation in graph.quantization_annotation:
                annotation.tensor_name = rename(annotation.tensor_name)
                for parameter in annotation.quant_parameter_tensor_names:
                    parameter.value = rename(parameter.value)
            rename_values(graph.node, rename)


def rename_references(nodes: Iterable[NodeProto], names: Mapping[str, str]) -> None:
    """Renames the function's attributes that the nodes and their subgraphs refer to."""
    for node in all_nodes(nodes):
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                attribute.ref_attr_name = names.get(attribute.ref_attr_name, attribute.ref_attr_name)
