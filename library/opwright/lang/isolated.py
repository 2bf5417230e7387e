"""Constants in the graphs of `SequenceMap`.

Constants stand at the top of a function, each once, and the graphs inside it read them there. The reference evaluator
runs the graph of a `SequenceMap` without the values around it, as it runs no other graph: so what such a graph reads
of constants is made within it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from opwright.lang import ir
from opwright.opsets.record import Role

Copied = Callable[[ir.Node, ir.Node], None]


def keep_constants_inside(body: ir.Region, prologue: Iterable[ir.Node], copied: Copied) -> None:
    """Gives each graph of a `SequenceMap` below `body` copies of the constants that it reads: nodes of the `prologue`
    that depend on no input, and `Constant` nodes. What it reads of other values stays as it is.

    Nodes that read them are replaced, and none is changed; `copied` is told of each node and what replaces it.
    """
    graphs = [graph for _, node in ir.walk(body) if _is_map(node) for graph in node.regions()]
    if not graphs:
        return
    makers: dict[ir.Value, ir.Node] = {}
    own = set(prologue)
    for node in body.nodes:
        if _is_constant(node, own) and all(value in makers for value in node.read()):
            makers.update(dict.fromkeys(node.made(), node))
    for graph in graphs:  # outer ones before those inside, which get copies of the copies
        read = {value: None for value in _values_read(graph) if value in makers}
        made: dict[ir.Value, ir.Value] = {}
        copies: list[ir.Node] = []
        for value in read:
            _copy(value, makers, made, copies, copied)
        _replace(graph, made, copied)
        graph.nodes[:0] = copies
        makers.update((value, node) for node in copies for value in node.made())


def _is_map(node: ir.Node) -> bool:
    return isinstance(node, ir.Call) and node.callee.record.role is Role.SEQUENCE_MAP


def _is_constant(node: ir.Node, prologue: set[ir.Node]) -> bool:
    """Whether a node may be made again, as far as it does not depend on anything."""
    if isinstance(node, ir.Const):
        return True
    return isinstance(node, ir.Call) and (node in prologue or node.callee.record.role is Role.CONSTANT)


def _values_read(graph: ir.Region) -> Iterable[ir.Value]:
    for _, node in ir.walk(graph):
        yield from node.read()
        for inner in node.regions():
            yield from inner.yields
    yield from graph.yields


def _copy(
    value: ir.Value,
    makers: dict[ir.Value, ir.Node],
    made: dict[ir.Value, ir.Value],
    copies: list[ir.Node],
    copied: Copied,
) -> None:
    """Adds what makes a constant again to `copies`, and the new value to `made`."""
    if value in made:
        return
    node = makers[value]
    for operand in node.read():
        _copy(operand, makers, made, copies, copied)
    results = {item: ir.Value(item.type, "", item.span) for item in node.made()}
    made.update(results)
    copy: ir.Node
    if isinstance(node, ir.Const):
        copy = ir.Const(node.operator, node.data, made[node.result], node.span)
    else:
        assert isinstance(node, ir.Call)
        copy = _call(node, made, [None if item is None else made[item] for item in node.results])
    copied(node, copy)
    copies.append(copy)


def _call(node: ir.Call, made: dict[ir.Value, ir.Value], results: list[ir.Value | None]) -> ir.Call:
    inputs = [None if item is None else made.get(item, item) for item in node.inputs]
    return ir.Call(node.callee, inputs, node.attributes, results, node.span)


def _replace(graph: ir.Region, made: dict[ir.Value, ir.Value], copied: Copied) -> None:
    """Makes a graph, and those inside it, read other values."""
    graph.yields = [made.get(value, value) for value in graph.yields]
    for index, node in enumerate(graph.nodes):
        for inner in node.regions():
            _replace(inner, made, copied)
        if made.keys().isdisjoint(node.read()):
            continue
        new: ir.Node
        if isinstance(node, ir.Call):
            new = _call(node, made, node.results)
        elif isinstance(node, ir.If):
            new = ir.If(
                node.operator, made.get(node.condition, node.condition), node.then, node.orelse, node.results, node.span
            )
        else:
            assert isinstance(node, ir.Loop)
            trips = None if node.trips is None else made.get(node.trips, node.trips)
            condition = None if node.condition is None else made.get(node.condition, node.condition)
            initial = [made.get(value, value) for value in node.initial]
            new = ir.Loop(node.operator, trips, condition, initial, node.body, node.results, node.span)
        copied(node, new)
        graph.nodes[index] = new
