"""What stands between the brackets of a subscript, told apart once: positions, ranges, arrays, masks."""

from __future__ import annotations

from functools import partial
from types import EllipsisType

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.nodes.primitives import (
    Writer,
    typed,
)
from opwright.lang.lower.numbers.number_operands import (
    as_tensor,
    carried,
    cast,
    convert_number,
    describe,
    narrow,
    needs_element,
    number_kind,
)
from opwright.lang.lower.numbers.ranks import require_rank
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_rank, numbers_of
from opwright.lang.lower.state.poison import Poisoned, each
from opwright.lang.meaning.operands import (
    ELLIPSIS,
    NEWAXIS,
    AttributeOperand,
    IndexItem,
    Marker,
    Operand,
    SliceItem,
    choices_of,
    is_absent,
    is_tensor,
    known_int,
)
from opwright.lang.text.source import Span
from opwright.opsets.signatures import elements_of

INT64_MAX, INT64_MIN = (1 << 63) - 1, -(1 << 63)


OLDEST_OPSET = 11  # the first at which Gather takes negative indices and Slice negative steps


def check_age(low: Lowering, span: Span) -> None:
    """Refuses an opset that has no sound form for subscripts."""
    if not low.target.is_before(OLDEST_OPSET):
        return
    raise low.error(
        "OW202",
        f"subscripts need opset {OLDEST_OPSET}, not {low.target.bare_opset}",
        span,
        reason="earlier versions of Gather take no negative indices, and those of Slice no negative steps",
        help=low.scope.newer_opset("", OLDEST_OPSET),
        depends_on=Choice.OPSET | Choice.INFERRED_TYPE,
    )


Bound = int | ir.Value | None


class Position:
    """One element of an axis, which the result has no more: an int, or a rank-0 integer value."""

    __slots__ = ("value",)

    axes = 1  # of the tensor, for which an item stands
    is_advanced = True  # whether numpy may make one index of it and others
    is_joint = False  # whether it gives axes of its own to that index

    def __init__(self, value: int | ir.Value) -> None:
        self.value = value

    @property
    def position(self) -> int | None:
        """Where it is, if that is known."""
        return known_int(self.value)

    def take(self, op: Writer, value: ir.Value, axis: int) -> tuple[ir.Value, ir.Shape]:
        """What the item leaves of a tensor along an axis, and the shape that takes the axis' place."""
        return op.gather(value, op.at(self.value), axis=axis), ()

    def indices(self, op: Writer) -> list[ir.Value]:
        """What it says of each axis that it stands for, as indices of `GatherND`."""
        return [_as_int64(op, op.at(self.value))]


class Range:
    """A slice of an axis; a bound is an int within int64, or a value of one element."""

    __slots__ = ("start", "step", "stop")

    axes = 1
    is_advanced = False
    is_joint = False
    position: int | None = None

    def __init__(self, start: Bound, stop: Bound, step: int | ir.Value) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    @property
    def static(self) -> slice[int | None, int | None, int | None] | None:
        """Python's own slice, where every bound is known."""
        bounds = (self.start, self.stop, self.step)
        if any(bound is not None and known_int(bound) is None for bound in bounds):
            return None
        return slice(*map(known_int, bounds))

    @property
    def whole(self) -> bool:
        return self.start in (None, 0) and self.stop is None and self.step == 1

    @property
    def known_step(self) -> int | None:
        return known_int(self.step)


class Array:
    """An INT32 or INT64 tensor of indices, which stands for an axis; its rank may be unknown, or 0 at run time."""

    __slots__ = ("value",)

    axes = 1
    is_advanced = True
    is_joint = True
    position: int | None = None

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    def take(self, op: Writer, value: ir.Value, axis: int) -> tuple[ir.Value, ir.Shape]:
        return op.gather(value, self.value, axis=axis), self.value.type.shape

    def indices(self, op: Writer) -> list[ir.Value]:
        return [_as_int64(op, self.value)]


class Mask:
    """A BOOL tensor of known rank, at least 1, which stands for as many axes."""

    __slots__ = ("axes", "value")

    is_advanced = True
    is_joint = True
    position: int | None = None

    def __init__(self, value: ir.Value, rank: int) -> None:
        self.value = value
        self.axes = rank

    def take(self, op: Writer, value: ir.Value, axis: int) -> tuple[ir.Value, ir.Shape]:
        return op.compress(value, self.value, axis=axis), (None,)

    def indices(self, op: Writer) -> list[ir.Value]:
        rows = op.non_zero(self.value)
        return [typed(op.gather(rows, op.int64(row), axis=0), "int64", (None,)) for row in range(self.axes)]


def _as_int64(op: Writer, value: ir.Value) -> ir.Value:
    if value.type.kind is not None:
        return typed(op.identity(value), "int64", ())
    assert is_tensor(value)
    int64 = op.low.element_of("int64")
    if ir.known_element(value.type.element) is int64:
        return value
    shape = value.type.shape
    return typed(cast(op.low, value, int64, op.span), "int64", shape)


Advanced = Position | Array | Mask
Item = Advanced | Range | Marker


def read_item(low: Lowering, item: IndexItem, span: Span) -> Item:
    """The item of a tensor's subscript that an operand is."""
    return _item.of(item)(item, low, span)


def read_position(low: Lowering, item: IndexItem, span: Span) -> int | ir.Value:
    """The position that an operand is, which is all that the subscript of a list takes."""
    read = read_item(low, item, span)
    if not isinstance(read, Position):
        raise refuse_item(low, item, span)
    return read.value


def _no_item(item: IndexItem, low: Lowering, span: Span) -> Item:
    raise refuse_item(low, item, span)


_item: Operation[IndexItem, [Lowering, Span], Item] = Operation(_no_item)
_item.on(Marker)(lambda item, low, span: item)
_item.on(type(None))(lambda item, low, span: NEWAXIS)
_item.on(EllipsisType)(lambda item, low, span: ELLIPSIS)
_item.on(SliceItem)(lambda item, low, span: read_range(low, item, span))


@_item.on(bool, int, float)
def _number_item(item: bool | int | float, low: Lowering, span: Span) -> Item:
    return _position(low, item, span)


@_item.on(range)
def _range_item(item: range, low: Lowering, span: Span) -> Item:
    return _list_item(numbers_of(low, item, span), low, span)


@_item.on(tuple)
def _list_item(item: tuple[Operand, ...], low: Lowering, span: Span) -> Item:
    value = as_tensor(low, tuple(item), None if item else low.element_of("int64"), span)
    return _tensor(low, value, span)


@_item.on(ir.Value)
def _value_item(item: ir.Value, low: Lowering, span: Span) -> Item:
    if item.type.kind is not None:
        return _position(low, item, span)
    if is_tensor(item) and not item.optional:
        return _tensor(low, item, span)
    raise refuse_item(low, item, span)


@_item.on(AttributeOperand)
def _attribute_item(item: AttributeOperand, low: Lowering, span: Span) -> Item:
    if item.number_kind is not None:
        return _position(low, item, span)
    if item.parameter.kind is not ir.AttributeKind.INTS:
        raise refuse_item(low, item, span)
    return _tensor(low, as_tensor(low, item, None, span), span)


def refuse_item(low: Lowering, item: Operand, span: Span) -> Poisoned:
    need_rank(item)
    absent = is_absent(item)
    return low.error(
        "OW340",
        f"{describe(item)} cannot index",
        span,
        reason="the optional input may be absent"
        if absent
        else "a subscript takes ints, slices, `...`, None, and tensors of integers or bools",
        help="ask first: `is not None`" if absent else "",
        depends_on=choices_of(item) & ~Choice.RANK,
    )


def _position(low: Lowering, item: Operand, span: Span) -> Item:
    if number_kind(item) is not ir.NumberKind.INT:
        raise refuse_item(low, item, span)
    known = known_int(item)
    if known is None:
        return Position(carried(low, item, span))
    if not INT64_MIN <= known <= INT64_MAX:
        raise low.error(
            "OW342",
            f"index {known} is out of range",
            span,
            "an axis cannot have that many elements",
            "",
            depends_on=Choice.RANK,
        )
    return Position(known)


def _tensor(low: Lowering, value: ir.Value, span: Span) -> Item:
    assert is_tensor(value)
    mask = ir.element_mask(value.type.element)
    if mask == 1 << low.element_of("bool").code:
        return _mask(low, value, span)
    made = as_index(low, value, span)
    return Position(made) if value.type.shape == () else Array(made)


def _mask(low: Lowering, value: ir.Value, span: Span) -> Item:
    rank = require_rank(low, value, span)
    if rank == 0:
        raise low.error(
            "OW340",
            "a mask of rank 0 cannot index",
            span,
            "the result would have a new axis of 0 or 1 elements",
            "",
            depends_on=Choice.RANK | Choice.INFERRED_TYPE,
        )
    return Mask(value, rank)


def as_index(low: Lowering, value: ir.Value, span: Span) -> ir.Value:
    """An integer tensor as INT32 or INT64, which are the types of indices; others are cast."""
    assert is_tensor(value)
    element = ir.settle(value.type.element)
    elements, variable = element.elements, ir.open_element(element)
    if all(item.name in ("int32", "int64") for item in elements):
        return value
    low.target.rely_on(element)
    if all(item.is_integer for item in elements):
        return place_of(low, value, span)
    if variable is not None and any(item.is_integer or item.kind == "bool" for item in elements):
        raise needs_element(low, variable, span)
    raise refuse_item(low, value, span)


def place_of(low: Lowering, value: ir.Value, span: Span | None) -> ir.Value:
    """Integers that say places, as INT64. A UINT64 beyond it is the largest: wrapped around it would count from the
    end, or stand before the first."""
    assert is_tensor(value)
    elements, int64 = ir.settle(value.type.element).elements, low.element_of("int64")
    if elements == (int64,):
        return value
    op = Writer(low, span)
    made = op.cast(value, int64)
    if low.element_of("uint64") not in elements:
        return made
    wrapped = op.less(made, op.int64(0))
    if len(elements) > 1:  # some are negative themselves
        zero = convert_number(low, 0.0, low.element_of("double"), span)
        wrapped = op.and_(wrapped, op.not_(op.less(op.cast(value, low.element_of("double")), zero)))
    return op.where(wrapped, op.int64(INT64_MAX), made)


# ------------------------------------------------------------------------------------------------------ slices


def read_range(low: Lowering, item: SliceItem, span: Span) -> Range:
    start, stop, step = each(partial(_bound, low, span=span), (item.start, item.stop, item.step))
    if step == 0:
        raise low.error("OW312", "Python says: slice step cannot be zero", span)
    return Range(start, stop, 1 if step is None else step)


def _bound(low: Lowering, bound: Operand, span: Span) -> Bound:
    """A bound of a slice: None, an int that fits int64 (beyond, it means the same as the limit), or a value."""
    return _bounds.of(bound)(bound, low, span)


def _no_bound(bound: Operand, low: Lowering, span: Span) -> Bound:
    need_rank(bound)
    raise low.error(
        "OW340",
        f"{describe(bound)} cannot bound a slice",
        span,
        reason="bounds are ints, None, or integer tensors of rank 0",
        help="",
        depends_on=choices_of(bound),
    )


_bounds: Operation[Operand, [Lowering, Span], Bound] = Operation(_no_bound)
_bounds.on(type(None))(lambda bound, low, span: None)
_bounds.on(bool, int)(lambda bound, low, span: max(INT64_MIN, min(INT64_MAX, int(bound))))


@_bounds.on(AttributeOperand)
def _attribute_bound(bound: AttributeOperand, low: Lowering, span: Span) -> Bound:
    return _number_bound(low, bound, bound.number_kind, span)


def _number_bound(low: Lowering, bound: Operand, kind: ir.NumberKind | None, span: Span) -> Bound:
    """A number of the run time that is an int, or a bool, which is one in Python."""
    if kind is None or kind is ir.NumberKind.FLOAT:
        return _no_bound(bound, low, span)
    value = carried(low, bound, span)
    return value if value.type.kind is not ir.NumberKind.BOOL else cast(low, value, low.element_of("int64"), span)


@_bounds.on(ir.Value)
def _value_bound(bound: ir.Value, low: Lowering, span: Span) -> Bound:
    if is_tensor(bound) and not bound.optional:
        element = ir.settle(bound.type.element)
        variable = ir.open_element(element)
        if variable is not None:
            narrow(low, variable, [item for item in variable.elements if not item.is_integer], "a slice")
        mask = ir.element_mask(element)
        if bound.type.shape in (None, ()) and all(item.is_integer for item in elements_of(mask)):
            return place_of(low, bound, span)
    return _number_bound(low, bound, bound.type.kind, span)
