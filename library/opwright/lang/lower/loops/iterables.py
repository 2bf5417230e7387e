"""Which expressions loops run over: calls of `range`, `enumerate`, `zip` and `reversed`, and values."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.calls.builtin_calls import call_builtin
from opwright.lang.lower.expressions.arithmetic import binary
from opwright.lang.lower.expressions.conditions import as_scalar
from opwright.lang.lower.expressions.expression_rules import lower_arguments
from opwright.lang.lower.loops.run_over import Items, Listed, OfSequence, Range, Rows, zipped
from opwright.lang.lower.nodes.primitives import Writer, as_number
from opwright.lang.lower.numbers.index_items import place_of
from opwright.lang.lower.numbers.number_operands import (
    carried,
    cast,
    describe,
    is_number,
    is_static_number,
    narrow,
    number_kind,
    typed_constant,
)
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_rank, need_static
from opwright.lang.lower.state.poison import each
from opwright.lang.lower.values.lists import items_of
from opwright.lang.meaning.objects import BuiltinObject
from opwright.lang.meaning.operands import (
    Environment,
    Operand,
    is_run_time_number,
    is_sequence,
    is_tensor,
    known_int,
)
from opwright.lang.meaning.static import is_int
from opwright.lang.text.grammar import called_by_name
from opwright.lang.text.source import Span, span_of
from opwright.opsets.signatures import elements_of


def what_is_run_over(low: Lowering, node: ast.expr, env: Environment, purpose: str = "`for`") -> Range:
    """What an expression gives to a loop; `purpose` says what needs it."""
    made = _by_builtin(low, node, env)
    if made is not None:
        return made
    value, span = lower_expression(low, node, env), span_of(node)
    if isinstance(value, Range):
        return value
    return _counted(low, value, span) or Listed(items_of(low, value, span, purpose))


def _by_builtin(low: Lowering, node: ast.expr, env: Environment) -> Range | None:
    """What `range`, `enumerate`, `zip` or `reversed` gives; None of any other expression."""
    called = called_by_name(node)
    if called is None:
        return None
    callee = lower_expression(low, called[1].func, env)
    made = _BUILTINS.get(callee.name) if isinstance(callee, BuiltinObject) and not callee.module else None
    return None if made is None else made(low, called[1], env)


def _counted(low: Lowering, value: Operand, span: Span) -> Items | None:
    """What is run over by a count of the run time; None where it is another thing."""
    if is_sequence(value):
        return OfSequence(low, value, span)
    return Rows(low, value, span) if is_tensor(value) else None


def _parts(low: Lowering, node: ast.Call, env: Environment, purpose: str) -> list[Range] | None:
    """What each argument of a call gives to a loop; None where some are not given by position, `strict=False` aside."""
    keywords = [ast.unparse(item) for item in node.keywords]
    if keywords not in ([], ["strict=False"]) or any(isinstance(item, ast.Starred) for item in node.args):
        return None
    return each(
        lambda item: what_is_run_over(low, item, env, purpose).settled(low, span_of(item)),
        node.args,
    )


def _called(low: Lowering, node: ast.Call, env: Environment) -> Range:
    """What a call of a builtin gives that takes static lists only."""
    return Listed(items_of(low, lower_expression(low, node, env), span_of(node), "`for`"))


def _enumerated(low: Lowering, node: ast.Call, env: Environment) -> Range:
    """`enumerate(...)`, as a call of it has it but for what only a loop can run over."""
    span = span_of(node)
    begins = [*node.args[1:], *(item.value for item in node.keywords if item.arg == "start")]
    inner = (
        _by_builtin(low, node.args[0], env)
        if node.args and len(begins) == len(node.args) + len(node.keywords) - 1 < 2
        else None
    )
    if inner is not None:
        begin = lower_expression(low, begins[0], env) if begins else 0
        need_static(low, begin, span)
        if not is_int(begin):
            raise low.error(
                "OW362",
                "`enumerate` starts at a static int",
                span,
                f"it gets {describe(begin)}",
                depends_on=Choice.LOOP_FORM,
            )
        return inner.settled(low, span).enumerated(low, begin, span)
    arguments = lower_arguments(low, node, env, None)
    positional, keywords = arguments.positional, arguments.keywords
    if 1 <= len(positional) <= 2 and len(positional) + len(keywords) <= 2 and set(keywords) <= {"start"}:
        start = positional[1][0] if len(positional) == 2 else keywords["start"][0] if keywords else 0
        over = _counted(low, *positional[0]) if is_int(start) else None
        if over is not None:
            over.numbered = known_int(start)
            return over
    return Listed(items_of(low, call_builtin(low, BuiltinObject("", "enumerate"), arguments, env), span, "`for`"))


def _zipped(low: Lowering, node: ast.Call, env: Environment) -> Range:
    parts = _parts(low, node, env, "`zip`")
    return zipped(low, parts, span_of(node)) if parts else _called(low, node, env)


def _backwards(low: Lowering, node: ast.Call, env: Environment) -> Range:
    parts = _parts(low, node, env, "`reversed`") if len(node.args) == 1 else None
    return parts[0].reversed(low, span_of(node)) if parts else _called(low, node, env)


def _range(low: Lowering, node: ast.Call, env: Environment) -> Range:
    span = span_of(node)
    operands = each(partial(lower_expression, low, env=env), node.args)
    if not 1 <= len(operands) <= 3 or node.keywords:
        raise low.error("OW203", "`range` takes one to three numbers", span, "it has Python's signature", "")
    start, stop = (0, operands[0]) if len(operands) == 1 else (operands[0], operands[1])
    step = operands[2] if len(operands) == 3 else 1
    if not is_int(step) or step == 0:
        need_static(low, step, span)
        raise low.error(
            "OW324",
            "the step of `range` must be an int other than 0 that is known when the function is built",
            span,
            reason=f"it is {describe(step)}; its sign decides how the trips are counted",
            help="",
        )
    if isinstance(start, int) and isinstance(stop, int):
        count = max(0, (int(stop) - int(start) + step - (1 if step > 0 else -1)) // step)
        if count >> 63:
            raise low.error("OW324", "`range` makes more trips than an int64 counts", span, f"it makes {count:,}", "")
        return Range(int(start), step, count, (int(start), int(stop), step))
    start_value, stop_value = each(partial(_as_integer, low, span=span), (start, stop))
    trips = _count_trips(low, start if is_static_number(start) else start_value, stop_value, step, span)
    return Range(start if is_static_number(start) else start_value, step, trips, (start, stop, step))


_BUILTINS: dict[str, Callable[[Lowering, ast.Call, Environment], Range]] = {
    "enumerate": _enumerated,
    "range": _range,
    "reversed": _backwards,
    "zip": _zipped,
}


def _count_trips(low: Lowering, start: Operand, stop: ir.Value, step: int, span: Span) -> ir.Value:
    """ceil((stop - start) / step); a Loop with fewer than one trip makes none, as range does."""
    if step > 0:
        length = stop if start == 0 and is_static_number(start) else binary(low, "-", stop, start, span, (span, span))
    else:
        length = binary(low, "-", start, stop, span, (span, span))
    size = abs(step)
    if size != 1:
        op, element = Writer(low, span), low.element_of("int64")
        length = carried(low, length, span)
        divisor = typed_constant(low, size, (), element, span)
        # What is left over makes one more trip. To round up before dividing would wrap around near the largest int.
        whole = op.div(length, divisor)
        rest = op.sub(length, op.mul(whole, divisor))
        rounding = size - 1
        rounded = op.add(rest, typed_constant(low, rounding, (), element, span))
        length = as_number(op.add(whole, op.div(rounded, divisor)))
    assert isinstance(length, ir.Value)
    return length


def _as_integer(low: Lowering, operand: Operand, span: Span) -> ir.Value:
    """A bound of `range` as an INT number."""
    need_rank(operand)
    if is_number(operand):
        if number_kind(operand) is ir.NumberKind.FLOAT:
            raise low.error(
                "OW314",
                "`range` takes ints",
                span,
                f"{describe(operand)} is a float",
                "round it first",
                depends_on=Choice.INFERRED_TYPE,
            )
        value = carried(low, operand, span)
    elif is_tensor(operand):
        bound = ir.settle(operand.type.element)
        if isinstance(bound, ir.TypeVariable):
            narrow(low, bound, [item for item in bound.elements if not item.is_integer], "`range`")
        mask = ir.element_mask(bound)
        if any(not item.is_integer for item in elements_of(mask)):
            raise low.error(
                "OW314",
                "`range` takes ints",
                span,
                f"it gets {describe(operand)}",
                "cast it to INT64",
                depends_on=Choice.RANK | Choice.INFERRED_TYPE,
            )
        value = as_scalar(low, place_of(low, operand, span), span)
    else:
        raise low.error(
            "OW314",
            "`range` takes ints",
            span,
            f"it gets {describe(operand)}",
            "",
            depends_on=Choice.RANK | Choice.INFERRED_TYPE,
        )
    if is_run_time_number(value) and value.type.kind is ir.NumberKind.INT:
        return value
    return as_number(cast(low, value, low.element_of("int64"), span))
