"""Conditions: one element, true where it is not zero; `and`, `or` and `not` stop where Python stops."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Sequence
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import Operation
from opwright.lang.infer.result_types import narrow_to_result
from opwright.lang.lower.expressions.joins import (
    as_joined,
    join_values,
    one_is_tuple,
    put_together,
    same_items,
    unsized,
)
from opwright.lang.lower.nodes.held_arrays import with_numbers
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.number_operands import (
    as_tensor,
    carried,
    cast,
    describe,
    holds_value,
    how_to_agree,
    is_number,
    narrow,
    number_kind,
)
from opwright.lang.lower.numbers.ranks import compare_rank
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.aggregates import alike, same_static
from opwright.lang.lower.state.context import NESTING_LIMIT, Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.state.poison import Poisoned, each
from opwright.lang.lower.values.shapes import length_of
from opwright.lang.lower.values.tuples import is_tuple
from opwright.lang.meaning.operands import (
    AttributeOperand,
    Environment,
    Operand,
    Rank,
    is_run_time_number,
    is_sequence,
    is_static,
    is_tensor,
)
from opwright.lang.meaning.static import StaticNamed
from opwright.lang.text.source import Span, span_of
from opwright.opsets.records import IF

Condition = ir.Value | bool


def lower_condition(low: Lowering, node: ast.expr, env: Environment) -> Condition:
    """The truth of an expression: known, or a BOOL of one element."""
    try:
        return _CONDITIONS.of(node)(node, low, env)
    except Poisoned as wrong:
        if not low.scouting:
            raise
        wrong.recover()
        return ir.Value(ir.TensorType(low.element_of("bool"), ()), "", span_of(node))


def _truth_of(low: Lowering, node: ast.expr, env: Environment) -> Condition:
    return truth(low, lower_expression(low, node, env), span_of(node))


def _not_or_truth(low: Lowering, node: ast.UnaryOp, env: Environment) -> Condition:
    if type(node.op) is not ast.Not:
        return _truth_of(low, node, env)
    return negate(low, lower_condition(low, node.operand, env), span_of(node))


def truth(low: Lowering, operand: Operand, span: Span) -> Condition:
    operand = with_numbers(low, operand)
    if isinstance(operand, Rank):
        return compare_rank(low, "!=", operand, 0) is True
    if isinstance(operand, AttributeOperand) and operand.choices:
        need_static(low, operand, span)
    if is_sequence(operand) or (is_tuple(operand) and not is_static(operand)):
        return truth(low, length_of(low, operand, span), span)  # whether it has any items
    return bool(operand) if is_static(operand) else as_condition(low, operand, span)


def negate(low: Lowering, condition: Condition, span: Span) -> Condition:
    if isinstance(condition, bool):
        return not condition
    return as_number(Writer(low, span).not_(as_scalar(low, condition, span)), ir.NumberKind.BOOL)


def _all_or_any(low: Lowering, node: ast.BoolOp, env: Environment) -> Condition:
    """Each operand is looked at only where those before it do not decide."""
    nodes, stops_at = node.values, STOPS_AT[type(node.op)]
    found = lower_condition(low, nodes[0], env)
    for before, after in itertools.pairwise(nodes):
        if found is stops_at:
            return found
        step = partial(lower_condition, low, after, env)
        if isinstance(found, bool):
            found = step()
            continue
        span = span_of(before)
        decided: Callable[[], Operand] = partial(bool, stops_at)
        chosen = choose(low, found, span, (decided, step) if stops_at else (step, decided))
        found = truth(low, chosen, span)
    return found


STOPS_AT: dict[type[ast.boolop], bool] = {ast.And: False, ast.Or: True}
_CONDITIONS: Operation[ast.expr, [Lowering, Environment], Condition] = Operation(
    lambda node, low, env: _truth_of(low, node, env)
)
_CONDITIONS.on(ast.BoolOp)(lambda node, low, env: _all_or_any(low, node, env))
_CONDITIONS.on(ast.UnaryOp)(lambda node, low, env: _not_or_truth(low, node, env))


def choose(low: Lowering, condition: ir.Value, span: Span, sides: Sequence[Callable[[], Operand]]) -> Operand:
    """The value of `sides[0]()` where the condition holds, of `sides[1]()` where it does not; only one is evaluated."""
    node = ir.If(low.operator(IF.name, span), condition, ir.Region(), ir.Region(), [], span)
    if low.depth >= NESTING_LIMIT:
        raise low.fatal(
            "OW319", f"more than {NESTING_LIMIT} nested blocks", span, "`and`, `or` and `if` expressions nest too"
        )
    low.depth += 1
    try:
        regions = (node.then, node.orelse)
        with low.entered(low.call_frame.on_one_path()):
            values = each(lambda index: low.within(regions[index], sides[index]), (0, 1))
    finally:
        low.depth -= 1
    chosen = _chosen(low, node, values[0], values[1])
    if node.results:
        low.append(node)
    return chosen


def _chosen(low: Lowering, node: ir.If, first: Operand, second: Operand) -> Operand:
    """The one of two values that the `If` chooses: one of its results, or what is made of several."""
    if first is second or same_static(first, second):
        return first
    either = same_items(low, first, second)
    if either is not None:
        return either
    both = alike(first, second)
    made = None
    if isinstance(first, StaticNamed):
        pass  # its parts have names: each is joined by itself
    elif not one_is_tuple(first, second) and not (both is not None and (holds_value(first) or holds_value(second))):
        made = join_values(low, (node.then, node.orelse), (first, second), node.span)
    if made is None and both is not None:
        parts = tuple(each(partial(_chosen_part, low, node), zip(both[0].parts, both[1].parts, strict=True)))
        return put_together(low, both[0], parts, first, second)
    if made is None:
        raise low.error(
            "OW307",
            "the two values of the expression have no common type",
            node.span,
            reason=f"one is {describe(first)}, the other {describe(second)}",
            help=how_to_agree(first, second),
            depends_on=Choice.INFERRED_TYPE | Choice.LOOP_FORM,
        )
    yields = unsized(low, node, made[0], made[1])
    node.then.yields.append(yields[0])
    node.orelse.yields.append(yields[1])
    narrow_to_result(node.operator.signature, made[2], low.trail)
    result = ir.Value(made[2], "", node.span)
    node.results.append(result)
    return as_joined(low, result, first, second)


def _chosen_part(low: Lowering, node: ir.If, pair: tuple[Operand, Operand]) -> Operand:
    return _chosen(low, node, *pair)


def as_condition(low: Lowering, operand: Operand, span: Span) -> ir.Value:
    """A BOOL of one element, of any numeric type, true where it is not zero."""
    boolean = low.element_of("bool")
    if is_number(operand) and number_kind(operand) is ir.NumberKind.BOOL:
        return carried(low, operand, span)
    if is_run_time_number(operand) and number_kind(operand) is ir.NumberKind.FLOAT:
        return cast(low, operand, boolean, span)  # the tensor that it becomes may be zero where the double is not
    value = as_tensor(low, operand, None, span)
    if not is_tensor(value) or _surely_many(value.type):
        raise low.error(
            "OW320",
            f"{describe(operand)} cannot be a condition",
            span,
            reason="a condition is one element of a numeric or boolean type",
            help="reduce it: `op.ReduceMax(x)`",
            depends_on=Choice.INFERRED_TYPE,
        )
    mask = ir.element_mask(value.type.element)
    if mask == 1 << boolean.code:
        return value
    variable, string = ir.open_element(value.type.element), low.element_of("string")
    inferred = variable is not None and narrow(low, variable, [string], "a condition")
    if mask >> string.code & 1 and not inferred:
        raise low.error(
            "OW320",
            f"{describe(operand)} cannot be a condition",
            span,
            "strings are neither true nor false",
            depends_on=Choice.INFERRED_TYPE,
        )
    return cast(low, value, boolean, span)


def as_scalar(low: Lowering, value: ir.Value, span: Span) -> ir.Value:
    """One element with rank 0, whatever rank it has."""

    if value.type.carried_shape == ():
        return value
    no_dims = low.constant(ir.TensorData(low.element_of("int64"), (0,), b""), span)
    scalar = Writer(low, span).reshape(value, no_dims)
    assert is_tensor(scalar)
    scalar.type = ir.TensorType(scalar.type.element, ())
    return scalar


def _surely_many(type_: ir.TensorType) -> bool:
    return any(size is not None and size != 1 for size in type_.sizes or ())
