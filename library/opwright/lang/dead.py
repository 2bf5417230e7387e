"""Dead nodes: what no output needs. Only pure nodes go: dropping a random one would shift the others."""

from __future__ import annotations

from opwright.lang import ir


def remove_unused_attributes(function: ir.Function) -> None:
    """Attributes that the body does not refer to: those that were asked about are part of the variant's name."""
    if not function.attributes:
        return
    used = {
        attribute.refers_to
        for _, node in ir.walk(function.body)
        if isinstance(node, ir.Call)
        for attribute in node.attributes.values()
    }
    function.attributes = [parameter for parameter in function.attributes if parameter.name in used]


def remove_dead_nodes(function: ir.Function) -> None:
    """Removes unused pure nodes, unused results of each `If`, and what a `Loop` carries for nobody, from the inside of
    the region out."""
    _sweep(function.body, set())


def is_pure(node: ir.Node) -> bool:
    if type(node) is ir.Call and type(node.callee) is ir.Operator and not node.callee.signature.takes_graphs:
        return node.callee.signature.deterministic
    if isinstance(node, ir.Call) and not node.callee.pure and not _is_control_flow(node.callee):
        return False
    return all(is_pure(inner) for region in node.regions() for inner in region.nodes)


def _is_control_flow(callee: ir.Operator | ir.FunctionReference) -> bool:
    """Whether the graphs that it is given say whether it is pure, not its schema."""
    return isinstance(callee, ir.Operator) and callee.signature.record.is_control_flow


def _sweep(region: ir.Region, used: set[ir.Value | None]) -> None:
    """Backwards over a region. `used` holds the values that later code reads; it grows with what stays."""
    used.update(region.yields)
    kept: list[ir.Node] = []
    for node in reversed(region.nodes):
        if type(node) is ir.Call and type(node.callee) is ir.Operator and not node.callee.signature.takes_graphs:
            # The most frequent kind: no region to look into.
            if not used.isdisjoint(node.results) or not node.callee.signature.deterministic:
                used.update(node.inputs)
                used.discard(None)
                kept.append(node)
            continue
        if used.isdisjoint(node.made()) and is_pure(node):
            continue
        if isinstance(node, ir.If):
            _drop_unread_results(node, used)
        elif isinstance(node, ir.Loop):
            _drop_unread_states(node, used)
        if isinstance(node, (ir.If, ir.Loop)) and not node.results:
            _give_result(node)
        for inner in node.regions():
            _sweep(inner, used)
        used.update(node.read())
        kept.append(node)
    kept.reverse()
    region.nodes = kept


def _give_result(node: ir.If | ir.Loop) -> None:
    """What is kept for the sake of random operators inside has an unused result: ONNX asks for one."""
    if isinstance(node, ir.If):
        node.then.yields = [node.condition]
        node.orelse.yields = [node.condition]
        type_ = node.condition.type
    else:
        value = node.trips or node.condition
        assert value is not None  # a loop that has neither never ends
        carried = ir.Value(value.type)
        node.initial = [value]
        node.body.parameters.append(carried)
        node.body.yields.append(carried)
        type_ = value.type
    node.results = [ir.Value(type_)]


def _drop_unread_results(node: ir.If, used: set[ir.Value | None]) -> None:
    read = [index for index, value in enumerate(node.results) if value in used]
    node.results = [node.results[index] for index in read]
    node.then.yields = [node.then.yields[index] for index in read]
    node.orelse.yields = [node.orelse.yields[index] for index in read]


def _drop_unread_states(node: ir.Loop, used: set[ir.Value | None]) -> None:
    """A state goes that nothing reads behind the loop, and in its body nothing but what makes the state again."""
    body, states = node.body, range(len(node.results))
    read = {index for index in states if node.results[index] in used}
    if len(read) == len(states):
        return
    needed: set[ir.Value | None] = {body.yields[0]}
    while True:
        needed.update(body.yields[1 + index] for index in read)
        for inner in reversed(body.nodes):
            if not needed.isdisjoint(inner.made()) or not is_pure(inner):
                needed.update(_all_read(inner))
        more = {index for index in states if body.parameters[2 + index] in needed} - read
        if not more:
            break
        read |= more
    left = sorted(read)
    node.initial = [node.initial[index] for index in left]
    node.results = [node.results[index] for index in left]
    body.parameters[2:] = [body.parameters[2 + index] for index in left]
    body.yields[1:] = [body.yields[1 + index] for index in left]


def _all_read(node: ir.Node) -> list[ir.Value]:
    """What a node reads, the graphs in it included."""
    found = list(node.read())
    for region in node.regions():
        found.extend(region.yields)
        for inner in region.nodes:
            found.extend(_all_read(inner))
    return found
