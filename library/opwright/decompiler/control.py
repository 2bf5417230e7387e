"""If and Loop as Python's own statements, where the compiler makes the same of those."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto

from opwright.decompiler.collected_types import is_list
from opwright.decompiler.literal_text import Constant, constant_of
from opwright.decompiler.refuse import refuse_unclear_graph
from opwright.elements import BY_NAME
from opwright.graphs.node_columns import NodeColumns
from opwright.graphs.walk import all_nodes
from opwright.opsets.records import CONSTANT, IDENTITY, IF, LOOP

if TYPE_CHECKING:
    from opwright.decompiler.body import Body

MOST_STATEMENTS = 20  # nested in each other: the compiler stops soon after
_ENDLESS = str((1 << 63) - 1)  # trips, of which no loop sees the end
TRUE = Constant(np.array(True), BY_NAME["bool"])


def write_control(body: Body, node: NodeProto, indent: str) -> bool:
    """Writes a node as a statement; False, and nothing done, where it must stay a call."""
    graphs = {item.name: item.g for item in node.attribute}
    for graph in graphs.values():
        refuse_unclear_graph(graph)
    if body.depth >= MOST_STATEMENTS or any(graph.sparse_initializer for graph in graphs.values()):
        return False
    if IF.describes(node) and graphs.keys() == {"then_branch", "else_branch"}:
        return _if(body, node, graphs["then_branch"], graphs["else_branch"], indent)
    return LOOP.describes(node) and graphs.keys() == {"body"} and _loop(body, node, graphs["body"], indent)


# ------------------------------------------------------------------------------------------------------------- If


def _if(body: Body, node: NodeProto, then: GraphProto, orelse: GraphProto, indent: str) -> bool:
    if not all(node.output) or body.knows(node.input[0]) or not body.is_bool(node.input[0]):
        return False
    condition = body.names[node.input[0]]
    targets = [body.names[name] for name in node.output]
    for head, graph in ((f"if {condition}:", then), ("else:", orelse)):
        body.lines.append(f"{indent}{head}")
        _branch(body, graph, targets, f"{indent}    ")
    return True


def _branch(body: Body, graph: GraphProto, targets: list[str], indent: str) -> None:
    """A branch, what it gives bound to the names of the results; but for what the model carries, which stays what it is
    when the other branch, or a later trip of a loop around, binds them anew."""
    outputs = [item.name for item in graph.output]
    made = {name for item in graph.node if not body.carries(item) for name in item.output}
    pairs = list(zip(outputs, targets, strict=True))
    with body.graph({name: target for name, target in pairs if name in made and outputs.count(name) == 1}):
        _block(body, graph, outputs, indent)
        bound = [(target, body.names[name]) for name, target in pairs]
        _bind(body, [pair for pair in bound if pair[0] != pair[1]], indent)
        _fill(body, indent)


def _block(
    body: Body, graph: GraphProto, outputs: list[str], indent: str, without: AbstractSet[str] = frozenset()
) -> None:
    """The nodes of a graph, but for those that make one of the values `without`."""
    kept = frozenset(outputs)
    for tensor in graph.initializer:
        body.add_constant(tensor, kept, indent)
    nodes = body.parts.columns(graph)
    if without:
        nodes = NodeColumns([item for item in graph.node if without.isdisjoint(item.output)])
    body.depth += 1
    body.nodes(nodes, indent, kept)
    body.depth -= 1


def _fill(body: Body, indent: str) -> None:
    """Ends a block, which Python does not take without a statement."""
    if body.lines[-1].endswith(":"):
        body.lines.append(f"{indent}pass")


def _bind(body: Body, pairs: list[tuple[str, str]], indent: str) -> None:
    """Binds names to values, all at once."""
    if pairs:
        names, values = (", ".join(items) for items in zip(*pairs, strict=True))
        body.lines.append(f"{indent}{names} = {values}")


# ----------------------------------------------------------------------------------------------------------- Loop


def _loop(body: Body, node: NodeProto, graph: GraphProto, indent: str) -> bool:
    """`for i in range(n)`, with a `break` where the loop may end before; `while condition` where nothing counts."""
    initial = list(node.input[2:])
    outputs = [item.name for item in graph.output]
    if len(graph.input) != 2 + len(initial) or len(outputs) != 1 + len(initial) or not initial:
        return False  # what a trip gives is collected, or there is nothing to carry
    if not all((*node.output, *initial)) or len(node.output) != len(initial) or body.knows(outputs[0]):
        return False
    trips, condition = node.input[0], node.input[1] if len(node.input) > 1 else ""
    index, going = graph.input[0].name, graph.input[1].name
    if is_list(graph.input[0].type) and _reads(graph, index):
        return False  # a list of one element, where a statement has a number
    listed = body.knows(condition) and not body.is_scalar(condition) if condition else is_list(graph.input[1].type)
    if listed and _reads(graph, going):
        return False  # likewise
    counted = bool(trips) and body.is_true(condition) and body.is_scalar(trips)
    always = _handed_on(graph) if counted else None
    if always is None and not body.is_bool(outputs[0]):
        return False
    endless = not trips or (body.knows(trips) and body.literal(trips) == _ENDLESS)
    runs_on = always is None and endless and condition and not _reads(graph, index)
    if not (counted or (runs_on and (body.knows(condition) or body.is_bool(condition)))):
        return False
    states = [body.names[name] for name in node.output]
    _bind(body, list(zip(states, body.returned(initial), strict=True)), indent)
    called = {item.name: state for item, state in zip(graph.input[2:], states, strict=True)}
    if runs_on:
        called[going] = goes_on = body.names.fresh("goes_on")
        _bind(body, [(goes_on, body.returned([condition])[0])], indent)
        body.lines.append(f"{indent}while {goes_on}:")
    else:
        body.lines.append(f"{indent}for {body.names[index]} in range({body.literal(trips)}):")
    with body.graph(called):
        if not runs_on:
            body.numbers.add(index)
            body.constants.update({**(always or {}), going: TRUE})  # as it is in any trip that is made
        _block(body, graph, outputs if always is None else outputs[1:], f"{indent}    ", (always or {}).keys())
        again = body.names[outputs[0]]
        pairs = [(called[going], again)] if runs_on else []
        if again in states and not runs_on:  # which have the values of the next trip by then
            again = body.names.fresh("again")
            pairs.append((again, body.names[outputs[0]]))
        pairs += zip(states, body.returned(outputs[1:]), strict=True)
        _bind(body, [pair for pair in pairs if pair[0] != pair[1]], f"{indent}    ")
        body.numbers.discard(index)
    if always is None and not runs_on:
        body.lines += [f"{indent}    if ~{again}:", f"{indent}        break"]
    _fill(body, f"{indent}    ")
    return True


def _handed_on(graph: GraphProto) -> dict[str, Constant] | None:
    """The condition in a body that never ends the loop, by its names from what it gives back to where that comes from:
    its own condition, or true. None where it may end the loop."""
    name, found = graph.output[0].name, dict[str, None]()
    makers = {item.output[0]: item for item in graph.node if item.output}
    while name in makers and name not in found and IDENTITY.describes(makers[name]):
        found[name] = None
        name = makers[name].input[0]
    found[name] = None
    value = TRUE if name == graph.input[1].name else _true(makers[name]) if name in makers else None
    return None if value is None else dict.fromkeys(found, value)


def _true(node: NodeProto) -> Constant | None:
    """The tensor of a Constant that is true; None of any other node."""
    tensor = node.attribute[0] if CONSTANT.describes(node) and node.attribute else None
    if tensor is None or tensor.name != "value" or tensor.t.data_type != TensorProto.BOOL:
        return None
    constant = constant_of(tensor.t)
    return constant if constant.array.all() else None


def _reads(graph: GraphProto, name: str) -> bool:
    """Whether anything in a graph reads the value."""
    inner = [graph, *(item for found in all_nodes(graph.node) for item in _graphs(found))]
    return any(name in found.input for found in all_nodes(graph.node)) or any(
        item.name == name for found in inner for item in found.output
    )


def _graphs(node: NodeProto) -> list[GraphProto]:
    return [item.g for item in node.attribute if item.HasField("g")]
