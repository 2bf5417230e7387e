"""What stands between the brackets of a subscript, told apart once: positions, ranges, arrays, masks."""

from __future__ import annotations

from functools import partial

from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.known import need_rank
from opwright.lang.lower.numbers import (
    as_tensor,
    carried,
    cast,
    describe,
    is_number,
    narrow,
    needs_element,
    number_kind,
)
from opwright.lang.lower.operands import (
    ELLIPSIS,
    NEWAXIS,
    Absent,
    AttributeOperand,
    IndexItem,
    Marker,
    Operand,
    SliceItem,
    is_run_time_number,
    is_tensor,
)
from opwright.lang.lower.poison import Poisoned, each
from opwright.lang.source import Span
from opwright.opsets.signatures import elements_of

INT64_MAX, INT64_MIN = (1 << 63) - 1, -(1 << 63)


OLDEST_OPSET = 11  # the first at which Gather takes negative indices and Slice negative steps


def check_age(low: Lowering, span: Span) -> None:
    """Refuses an opset that has no sound form for subscripts."""
    if low.opset >= OLDEST_OPSET:
        return
    raise low.error(
        "OW202",
        f"subscripts need opset {OLDEST_OPSET}, not {low.opset}",
        span,
        reason="earlier versions of Gather take no negative indices, and those of Slice no negative steps",
        help=f'narrow `opset:` to ">={OLDEST_OPSET}"',
    )


Bound = int | ir.Value | None


class Position:
    """One element of an axis, which the result has no more: an int, or a rank-0 integer value."""

    __slots__ = ("value",)

    def __init__(self, value: int | ir.Value) -> None:
        self.value = value


class Range:
    """A slice of an axis; a bound is an int within int64, or a value of one element."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: Bound, stop: Bound, step: int | ir.Value) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    @property
    def static(self) -> slice | None:
        """Python's own slice, where every bound is known."""
        start, stop, step = self.start, self.stop, self.step
        if isinstance(start, ir.Value) or isinstance(stop, ir.Value) or isinstance(step, ir.Value):
            return None
        return slice(start, stop, step)

    @property
    def whole(self) -> bool:
        return self.start in (None, 0) and self.stop is None and self.step == 1


class Array:
    """An INT32 or INT64 tensor of indices, which stands for an axis; its rank may be unknown, or 0 at run time."""

    __slots__ = ("value",)

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    @property
    def shape(self) -> tuple[ir.Dimension, ...] | None:
        return self.value.type.shape if is_tensor(self.value) else None


class Mask:
    """A BOOL tensor of known rank, at least 1, which stands for as many axes."""

    __slots__ = ("rank", "value")

    def __init__(self, value: ir.Value, rank: int) -> None:
        self.value = value
        self.rank = rank


Item = Position | Range | Array | Mask | Marker


def read_item(low: Lowering, item: IndexItem, span: Span) -> Item:
    """The item of a tensor's subscript that an operand is."""
    if isinstance(item, Marker):
        return item
    if item is None:
        return NEWAXIS
    if item is Ellipsis:
        return ELLIPSIS
    if isinstance(item, SliceItem):
        return read_range(low, item, span)
    if is_number(item):
        return _position(low, item, span)
    if isinstance(item, (tuple, range)):
        item = tuple(item)
        value = as_tensor(low, item, None if item else low.element_of("int64"), span)
        return _tensor(low, value, span)
    if is_tensor(item) and not item.optional:
        return _tensor(low, item, span)
    if isinstance(item, AttributeOperand) and item.parameter.kind is ir.AttributeKind.INTS:
        value = as_tensor(low, item, None, span)
        return _tensor(low, value, span)
    raise refuse_item(low, item, span)


def refuse_item(low: Lowering, item: Operand, span: Span) -> Poisoned:
    need_rank(item)
    absent = isinstance(item, Absent) or (isinstance(item, ir.Value) and item.optional)
    return low.error(
        "OW340",
        f"{describe(item)} cannot index",
        span,
        reason="the optional input may be absent"
        if absent
        else "a subscript takes ints, slices, `...`, None, and tensors of integers or bools",
        help="ask first: `is not None`" if absent else "",
    )


def _position(low: Lowering, item: Operand, span: Span) -> Item:
    if number_kind(item) is not ir.NumberKind.INT:
        raise refuse_item(low, item, span)
    if isinstance(item, int):
        if not INT64_MIN <= item <= INT64_MAX:
            raise low.error(
                "OW342", f"index {item} is out of range", span, "an axis cannot have that many elements", ""
            )
        return Position(item)
    value = carried(low, item, span)
    return Position(value)


def _tensor(low: Lowering, value: ir.Value, span: Span) -> Item:
    assert is_tensor(value)
    mask = ir.element_mask(value.type.element)
    if mask == 1 << low.element_of("bool").code:
        return _mask(low, value, span)
    made = as_index(low, value, span)
    return Position(made) if value.type.shape == () else Array(made)


def _mask(low: Lowering, value: ir.Value, span: Span) -> Item:
    from opwright.lang.lower.shapes import require_rank

    rank = require_rank(low, value, span)
    if rank == 0:
        raise low.error(
            "OW340", "a mask of rank 0 cannot index", span, "the result would have a new axis of 0 or 1 elements", ""
        )
    return Mask(value, rank)


def as_index(low: Lowering, value: ir.Value, span: Span) -> ir.Value:
    """An integer tensor as INT32 or INT64, which are the types of indices; others are cast."""
    assert is_tensor(value)
    element = ir.settle(value.type.element)
    elements = element.elements if isinstance(element, ir.TypeVariable) else (element,)
    if all(item.name in ("int32", "int64") for item in elements):
        return value
    low.rely_on(element)
    if all(item.is_integer for item in elements):
        return cast(low, value, low.element_of("int64"), span)
    if isinstance(element, ir.TypeVariable) and any(item.is_integer or item.kind == "bool" for item in elements):
        raise needs_element(low, element, span)
    raise refuse_item(low, value, span)


# ------------------------------------------------------------------------------------------------------ slices


def read_range(low: Lowering, item: SliceItem, span: Span) -> Range:
    start, stop, step = each(partial(_bound, low, span=span), (item.start, item.stop, item.step))
    if step == 0:
        raise low.error("OW312", "Python says: slice step cannot be zero", span)
    return Range(start, stop, 1 if step is None else step)


def _bound(low: Lowering, bound: Operand, span: Span) -> Bound:
    """A bound of a slice: None, an int that fits int64 (beyond, it means the same as the limit), or a value."""
    if bound is None:
        return None
    if isinstance(bound, int):
        return max(INT64_MIN, min(INT64_MAX, int(bound)))
    if is_number(bound) and number_kind(bound) is not ir.NumberKind.FLOAT:
        value = carried(low, bound, span)
        if number_kind_of(value) is not ir.NumberKind.BOOL:
            return value
        return cast(low, value, low.element_of("int64"), span)
    if is_tensor(bound) and not bound.optional:
        element = ir.settle(bound.type.element)
        if isinstance(element, ir.TypeVariable):
            narrow(low, element, [item for item in element.elements if not item.is_integer], "a slice")
        mask = ir.element_mask(element)
        if bound.type.shape in (None, ()) and all(item.is_integer for item in elements_of(mask)):
            int64 = low.element_of("int64")
            return bound if mask == 1 << int64.code else cast(low, bound, int64, span)
    need_rank(bound)
    raise low.error(
        "OW340",
        f"{describe(bound)} cannot bound a slice",
        span,
        reason="bounds are ints, None, or integer tensors of rank 0",
        help="",
    )


def number_kind_of(value: ir.Value) -> ir.NumberKind | None:
    return value.type.kind if is_run_time_number(value) else None
