"""Dead nodes: what no output needs. Only pure nodes go: dropping a random one would shift the others."""

from __future__ import annotations

from opwright.lang import ir


def remove_dead_nodes(function: ir.Function) -> None:
    """Removes unused pure nodes, and the results of an `If` that nobody reads, from the inside of the region out."""
    used: set[int] = set()
    _sweep(function.body, used)


def is_pure(node: ir.Node) -> bool:
    if isinstance(node, ir.Call) and not node.callee.pure:
        return False
    return all(is_pure(inner) for region in ir.regions_of(node) for inner in region.nodes)


def _sweep(region: ir.Region, used: set[int]) -> None:
    """Backwards over a region. `used` holds the ids of values that later code reads; it grows with what stays."""
    used.update(id(value) for value in region.yields)
    kept: list[ir.Node] = []
    for node in reversed(region.nodes):
        if isinstance(node, ir.Call) and not node.attributes:  # the most frequent kind: no region to look into
            if _is_read(node, used) or not node.callee.pure:
                used.update([id(value) for value in node.inputs])
                kept.append(node)
            continue
        if not any(id(value) in used for value in ir.results_of(node)) and is_pure(node):
            continue
        if isinstance(node, ir.If):
            _drop_unread_results(node, used)
        for inner in ir.regions_of(node):
            _sweep(inner, used)
        used.update(id(value) for value in ir.operands_of(node))
        kept.append(node)
    kept.reverse()
    region.nodes = kept


def _is_read(node: ir.Call, used: set[int]) -> bool:
    for value in node.results:
        if id(value) in used:
            return True
    return False


def _drop_unread_results(node: ir.If, used: set[int]) -> None:
    read = [index for index, value in enumerate(node.results) if id(value) in used]
    node.results = [node.results[index] for index in read]
    node.then.yields = [node.then.yields[index] for index in read]
    node.orelse.yields = [node.orelse.yields[index] for index in read]
