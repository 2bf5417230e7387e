"""Where control flow meets: one value for a name that two paths bound."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from opwright.lang import ir
from opwright.lang.infer import unify
from opwright.lang.lower.context import POISON, Environment, Lowering, Operand, Poison, Unbound
from opwright.lang.lower.numbers import as_tensor, carried, describe, is_number, number_kind
from opwright.lang.source import Span

if TYPE_CHECKING:
    from opwright.lang.lower.statements import Returned


def join_environments(
    low: Lowering, node: ir.If, env: Environment, then: Environment, orelse: Environment, paths: tuple[str, str]
) -> None:
    """Gives `env` the names as they are after the `if`; `paths` say when each branch is not taken."""
    for name in dict.fromkeys([*then, *orelse]):
        first = then.get(name, Unbound(paths[1]))
        second = orelse.get(name, Unbound(paths[0]))
        if first is second or _same_static(first, second):
            env[name] = first
        elif isinstance(first, Unbound) or isinstance(second, Unbound):
            env[name] = first if isinstance(first, Unbound) else second
        elif isinstance(first, Poison) or isinstance(second, Poison):
            env[name] = POISON
        else:
            env[name] = _join(low, node, name, first, second)


def _same_static(first: Operand, second: Operand) -> bool:
    if isinstance(first, ir.Value) or isinstance(second, ir.Value):
        return False
    if isinstance(first, float) and isinstance(second, float):
        return first.hex() == second.hex()  # -0.0 is not 0.0, nan is nan
    return type(first) is type(second) and not isinstance(first, Unbound) and bool(first == second)


def _join(low: Lowering, node: ir.If, name: str, first: Operand, second: Operand) -> Operand:
    made = join_values(low, (node.then, node.orelse), (first, second), node.span)
    if made is None:
        return Unbound(
            f"to one kind of value on both paths ({describe(first)} on one, {describe(second)} on the other)"
        )
    node.then.yields.append(made[0])
    node.orelse.yields.append(made[1])
    result = ir.Value(made[2], name, node.span)
    node.results.append(result)
    return result


def join_values(
    low: Lowering, regions: tuple[ir.Region, ir.Region], values: tuple[Operand, Operand], span: Span | None
) -> tuple[ir.Value, ir.Value, ir.Type] | None:
    """Both operands as values of one type, each made in its own region, and that type; None where there is none."""
    first, second = values
    if is_number(first) and is_number(second):
        if number_kind(first) is not number_kind(second):
            return None
        made = [within(low, regions[side], partial(carried, low, values[side], span)) for side in (0, 1)]
        pair = _pair(made)
        return None if pair is None else (*pair, ir.NumberType(number_kind(first)))
    tensor = first if isinstance(first, ir.Value) and not is_number(first) else second
    element = tensor.type.element if isinstance(tensor, ir.Value) and isinstance(tensor.type, ir.TensorType) else None
    made = [within(low, regions[side], partial(as_tensor, low, values[side], element, span)) for side in (0, 1)]
    pair = _pair(made)
    if pair is None or not unify(pair[0].type, pair[1].type):
        return None
    return (*pair, joined_type(pair[0].type, pair[1].type))


def _pair(made: list[ir.Value | Poison]) -> tuple[ir.Value, ir.Value] | None:
    first, second = made
    return (first, second) if isinstance(first, ir.Value) and isinstance(second, ir.Value) else None


Result = TypeVar("Result")


def within(low: Lowering, region: ir.Region, step: Callable[[], Result]) -> Result:
    """Runs a step of lowering with `region` as the one that is being filled."""
    outer, low.region = low.region, region
    try:
        return step()
    finally:
        low.region = outer


def joined_type(first: ir.Type, second: ir.Type) -> ir.Type:
    """The element type that both have; the shape as far as both agree on it."""
    if not isinstance(first, ir.TensorType) or not isinstance(second, ir.TensorType):
        return first
    if first.shape is None or second.shape is None or len(first.shape) != len(second.shape):
        return ir.TensorType(first.element)
    return ir.TensorType(
        first.element,
        tuple(one if one == other else None for one, other in zip(first.shape, second.shape, strict=True)),
    )


def join_returns(low: Lowering, node: ir.If, first: Returned, second: Returned) -> tuple[Operand, ...] | None:
    """What an `if` returns whose branches both return."""
    if first.values is None or second.values is None or len(first.values) != len(second.values):
        if first.values is None and second.values is None:
            return None
        counts = [0 if end.values is None else len(end.values) for end in (first, second)]
        low.error(
            "OW307",
            "the returns disagree",
            second.span,
            reason=f"{counts[0]} values are returned in line {first.span[0]}, {counts[1]} in line {second.span[0]}",
            help="return the same number of values on every path",
        )
        return (POISON,) * max(counts)
    results: list[Operand] = []
    for one, other in zip(first.values, second.values, strict=True):
        if isinstance(one, Poison) or isinstance(other, Poison):
            results.append(POISON)
            continue
        made = join_values(low, (node.then, node.orelse), (one, other), second.span)
        if made is None:
            low.error(
                "OW307",
                "the returns disagree",
                second.span,
                reason=f"line {first.span[0]} returns {describe(one)}, line {second.span[0]} returns {describe(other)}",
                help="return values of the same types on every path",
            )
            results.append(POISON)
            continue
        node.then.yields.append(made[0])
        node.orelse.yields.append(made[1])
        result = ir.Value(made[2], "", node.span)
        node.results.append(result)
        results.append(result)
    return tuple(results)
