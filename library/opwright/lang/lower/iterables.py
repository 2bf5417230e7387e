"""What `for` runs over at run time: `range` of numbers, and sequences."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial

from opwright.lang import ir
from opwright.lang.grammar import called_by_name, name_of
from opwright.lang.lower.arithmetic import binary
from opwright.lang.lower.builtin_calls import call_builtin
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.expressions import lower_arguments
from opwright.lang.lower.known import need_rank, need_static
from opwright.lang.lower.lists import items_of
from opwright.lang.lower.numbers import (
    carried,
    cast,
    describe,
    is_number,
    is_static_number,
    narrow,
    number_kind,
    typed_constant,
)
from opwright.lang.lower.operands import (
    AttributeOperand,
    Environment,
    Operand,
    is_run_time_number,
    is_sequence,
    is_tensor,
)
from opwright.lang.lower.poison import each
from opwright.lang.lower.primitives import Writer
from opwright.lang.lower.rules import lower_expression
from opwright.lang.lower.sequences import sequence_length, subscript_sequence
from opwright.lang.lower.tensor_rows import row, row_count
from opwright.lang.objects import BuiltinObject
from opwright.lang.source import Span, span_of
from opwright.lang.static import is_int
from opwright.opsets.signatures import elements_of


class Range:
    """`range(*bounds)`; `trips` is known, or a rank-0 INT64 value. `known_trips` and `first`: what is known of it."""

    __slots__ = ("bounds", "first", "known_trips", "start", "step", "trips")

    def __init__(self, start: Operand, step: int, trips: int | ir.Value, bounds: tuple[Operand, ...]) -> None:
        self.start = start
        self.first = start if isinstance(start, int) else None
        self.step = step
        self.trips = trips
        self.known_trips = trips if isinstance(trips, int) else None
        self.bounds = bounds

    @property
    def may_be_static(self) -> bool:
        """Whether the items are known, or will be once the function's attributes are."""
        return all(isinstance(bound, (int, AttributeOperand)) for bound in self.bounds)

    @property
    def makes_trips(self) -> bool:
        """Whether there certainly is one."""
        return self.known_trips is not None and self.known_trips > 0

    @property
    def last(self) -> int | None:
        """The last item, where it is known."""
        if self.first is None or self.known_trips is None or not self.known_trips:
            return None
        return self.first + (self.known_trips - 1) * self.step


class Items(Range):
    """The items of a sequence. `numbered`: each comes with its number, counted from there."""

    __slots__ = ("numbered", "value")

    def __init__(self, low: Lowering, value: ir.Value, span: Span) -> None:
        self.value = value
        self.numbered: int | None = None
        super().__init__(0, 1, *self._count(low, span))

    def _count(self, low: Lowering, span: Span) -> tuple[int | ir.Value, tuple[Operand, ...]]:
        """The number of trips, and what it is computed from."""
        return sequence_length(low, self.value, span), (self.value,)

    @property
    def type(self) -> ir.Type | None:
        """That of an item."""
        return self.value.type.item

    def item(self, low: Lowering, index: int | ir.Value, span: Span) -> Operand:
        return subscript_sequence(low, self.value, index, span)


class Rows(Items):
    """The rows of a tensor."""

    __slots__ = ()

    def _count(self, low: Lowering, span: Span) -> tuple[int | ir.Value, tuple[Operand, ...]]:
        count = row_count(low, self.value, span)
        assert isinstance(count, (int, ir.Value))
        return count, ((0, count, 1) if isinstance(count, int) else (self.value,))

    @property
    def type(self) -> ir.Type:
        return self.value.type

    def item(self, low: Lowering, index: int | ir.Value, span: Span) -> Operand:
        return row(low, self.value, index, span)


def what_is_run_over(low: Lowering, node: ast.expr, env: Environment) -> tuple[Operand, ...] | Range:
    called = called_by_name(node)
    if called is not None:
        callee = lower_expression(low, called[1].func, env)
        made = _BUILTINS.get(callee.name) if isinstance(callee, BuiltinObject) and not callee.module else None
        if made is not None:
            return made(low, called[1], env)
    value = lower_expression(low, node, env)
    return _counted(low, value, span_of(node)) or items_of(
        low, value, span_of(node), "`for`", name_of(node) is not None
    )


def _counted(low: Lowering, value: Operand, span: Span) -> Items | None:
    """What is run over by a count of the run time; None where it is another thing."""
    if is_sequence(value):
        return Items(low, value, span)
    return Rows(low, value, span) if is_tensor(value) else None


def _enumerated(low: Lowering, node: ast.Call, env: Environment) -> tuple[Operand, ...] | Range:
    """`enumerate(...)`, as a call of it has it but for what only a loop can run over."""
    arguments = lower_arguments(low, node, env, None)
    positional, keywords = arguments.positional, arguments.keywords
    if 1 <= len(positional) <= 2 and len(positional) + len(keywords) <= 2 and set(keywords) <= {"start"}:
        start = positional[1][0] if len(positional) == 2 else keywords["start"][0] if keywords else 0
        is_counted = is_sequence(positional[0][0]) or is_tensor(positional[0][0])
        if is_counted and isinstance(start, int) and not isinstance(start, bool):
            over = _counted(low, positional[0][0], positional[0][1])
            assert over is not None
            over.numbered = start
            return over
    listed = call_builtin(low, BuiltinObject("", "enumerate"), arguments, env)
    return items_of(low, listed, span_of(node), "`for`")


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


_BUILTINS: dict[str, Callable[[Lowering, ast.Call, Environment], tuple[Operand, ...] | Range]] = {
    "enumerate": _enumerated,
    "range": _range,
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
        length = op.add(whole, op.div(rounded, divisor))
        length.type = ir.NumberType(ir.NumberKind.INT)
    assert isinstance(length, ir.Value)
    return length


def _as_integer(low: Lowering, operand: Operand, span: Span) -> ir.Value:
    """A bound of `range` as an INT number."""
    need_rank(operand)
    if is_number(operand):
        if number_kind(operand) is ir.NumberKind.FLOAT:
            raise low.error("OW314", "`range` takes ints", span, f"{describe(operand)} is a float", "round it first")
        value = carried(low, operand, span)
    elif is_tensor(operand):
        bound = ir.settle(operand.type.element)
        if isinstance(bound, ir.TypeVariable):
            narrow(low, bound, [item for item in bound.elements if not item.is_integer], "`range`")
        mask = ir.element_mask(bound)
        if any(not item.is_integer for item in elements_of(mask)):
            raise low.error("OW314", "`range` takes ints", span, f"it gets {describe(operand)}", "cast it to INT64")
        int64 = low.element_of("int64")
        value = operand if mask == 1 << int64.code else cast(low, operand, int64, span)
    else:
        raise low.error("OW314", "`range` takes ints", span, f"it gets {describe(operand)}", "")
    if is_run_time_number(value) and value.type.kind is ir.NumberKind.INT:
        return value
    number = cast(low, value, low.element_of("int64"), span)
    number.type = ir.NumberType(ir.NumberKind.INT)
    return number
