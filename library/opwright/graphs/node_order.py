"""Nodes of a graph in an order in which each stands behind those that it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from onnx import NodeProto

from opwright.graphs.walk import subgraphs


def in_order(nodes: Sequence[NodeProto]) -> Iterable[tuple[int, NodeProto]]:
    """The nodes of a graph with their places, each behind those whose outputs it reads: some tools append nodes at the
    end that belong before others, and runtimes take such models."""
    producers = {name: index for index, node in enumerate(nodes) for name in node.output if name}
    needed = [
        [at for name in _names_read(node) if (at := producers.get(name)) is not None and at != index]
        for index, node in enumerate(nodes)
    ]
    if all(at < index for index, places in enumerate(needed) for at in places):
        return enumerate(nodes)
    done: dict[int, None] = {}
    for root in range(len(nodes)):
        stack = [(root, iter(needed[root]))]
        open_ = {root}
        while stack:
            index, rest = stack[-1]
            waiting = next((at for at in rest if at not in done and at not in open_), None)
            if waiting is None:
                done[index] = None
                stack.pop()
            else:
                open_.add(waiting)
                stack.append((waiting, iter(needed[waiting])))
    return [(index, nodes[index]) for index in done]


def _names_read(node: NodeProto) -> Iterator[str]:
    """What a node reads, and what its graphs read of what is around them."""
    yield from node.input
    for graph in subgraphs(node):
        own = {value.name for value in graph.input}
        own.update(tensor.name for tensor in graph.initializer)
        own.update(sparse.values.name for sparse in graph.sparse_initializer)
        own.update(name for inner in graph.node for name in inner.output)
        read = (name for inner in graph.node for name in _names_read(inner))
        yield from (name for name in read if name not in own)
        yield from (value.name for value in graph.output if value.name not in own)
