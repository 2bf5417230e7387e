"""What every function of the IR must satisfy after each pass; a violation is a bug of ours."""

from __future__ import annotations

from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)


def verify(function: ir.Function) -> list[str]:
    """What is wrong with the function; nothing for a sound one."""
    problems: list[str] = []
    defined: set[int] = set()
    for value in function.inputs:
        _define(value, defined, problems, "input")
    _region(function.body, set(defined), defined, problems, function)
    if len(function.body.yields) != len(function.outputs):
        problems.append(f"{len(function.outputs)} outputs are named, {len(function.body.yields)} are yielded")
    return problems


def _define(value: ir.Value, defined: set[int], problems: list[str], what: str) -> None:
    if id(value) in defined:
        problems.append(f"{value!r} is assigned twice ({what})")
    defined.add(id(value))


def _region(
    region: ir.Region, visible: set[int], defined: set[int], problems: list[str], function: ir.Function
) -> None:
    for parameter in region.parameters:
        _define(parameter, defined, problems, "parameter")
        visible.add(id(parameter))
    for node in region.nodes:
        for operand in node.read():
            if id(operand) not in visible:
                problems.append(f"{operand!r} is read before it is assigned, or out of its region")
        for inner in node.regions():
            _region(inner, set(visible), defined, problems, function)
        _shape_of(node, problems, function)
        for result in node.made():
            _define(result, defined, problems, type(node).__name__)
            visible.add(id(result))
    for value in region.yields:
        if id(value) not in visible:
            problems.append(f"{value!r} is yielded and not in scope")


def _shape_of(node: ir.Node, problems: list[str], function: ir.Function) -> None:
    _CHECKS.of(node)(node, problems, function)


_CHECKS: Operation[ir.Node, [list[str], ir.Function], None] = Operation(lambda node, problems, function: None)


@_CHECKS.on(ir.If)
def _if(node: ir.If, problems: list[str], function: ir.Function) -> None:
    if not len(node.results) == len(node.then.yields) == len(node.orelse.yields):
        problems.append("an If yields other numbers of values than it has results")


@_CHECKS.on(ir.Loop)
def _loop(node: ir.Loop, problems: list[str], function: ir.Function) -> None:
    carried = len(node.initial)
    if len(node.body.parameters) != carried + 2 or len(node.body.yields) != carried + 1 or len(node.results) != carried:
        problems.append("a Loop carries other numbers of values in, around and out")


@_CHECKS.on(ir.Call)
def _call(node: ir.Call, problems: list[str], function: ir.Function) -> None:
    parameters = {parameter.name: parameter for parameter in function.attributes}
    for key, attribute in node.attributes.items():
        if attribute.refers_to is not None:
            parameter = parameters.get(attribute.refers_to)
            if parameter is None or parameter.kind is not attribute.kind:
                wanted = f"@{attribute.refers_to}, which the function does not have as {attribute.kind.value}"
                problems.append(f"{key} refers to {wanted}")
    if isinstance(node.callee, ir.Operator):
        signature = node.callee.signature
        if not signature.min_inputs <= len(node.inputs) or (len(node.inputs) > signature.max_inputs):
            problems.append(f"{signature.identity} has {len(node.inputs)} inputs")
        problems.extend(
            f"{signature.identity} has no attribute {key}" for key in node.attributes if key not in signature.attributes
        )
