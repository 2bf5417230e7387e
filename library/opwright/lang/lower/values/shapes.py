"""Shapes: `x.shape` is a tuple of ints, in Python's sense, and `Shape(x)` where a tensor is wanted.

What is known of a shape when the function is built is a plain int; the rest are numbers of the run time. The rank need
not be known to take one entry or a part; it must be to unpack the tuple, to join it with another or to run over it.
"""

from __future__ import annotations

import math

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.lang.lower.nodes.primitives import Writer, as_number, typed
from opwright.lang.lower.numbers.index_items import (
    INT64_MAX,
    Range,
    check_age,
    read_position,
    read_range,
)
from opwright.lang.lower.numbers.mixed import refuse_number
from opwright.lang.lower.numbers.number_operands import (
    attribute_value,
    run_time_as,
    tensors,
)
from opwright.lang.lower.numbers.ranks import rank_of, require_rank
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import maybe_absent, need_static
from opwright.lang.lower.values.sequences import sequence_length
from opwright.lang.lower.values.slicing import emit_slices
from opwright.lang.meaning.operands import (
    AttributeOperand,
    IntTuple,
    Operand,
    SliceItem,
    is_tensor,
)
from opwright.lang.text.source import Span
from opwright.opsets.records import GATHER, SHAPE


def shape_of(low: Lowering, value: ir.Value, span: Span) -> IntTuple:
    """`value.shape`."""
    if not is_tensor(value):
        raise low.error("OW304", "only tensors have a shape", span, f"it is of type {value.type!r}", "")
    if value.optional:
        raise maybe_absent(low, value, "`.shape` needs a value", span)
    rank = value.type.rank
    return IntTuple(value, None if rank is None else tuple(range(rank)))


def size_of(low: Lowering, value: ir.Value, span: Span) -> Operand:
    """`value.size`: how many elements there are, known or a number."""
    shape = shape_of(low, value, span)
    assert shape.owner is not None
    dims = shape.owner.type.shape
    known = known_sizes(dims)
    if known is not None:
        return math.prod(known)
    made = as_number(Writer(low, span).size(value))
    if dims is not None and None not in dims:
        low.trail.put(low.sizes.names, made, " * ".join(sorted(map(str, dims))))
    return made


def transposed(low: Lowering, value: ir.Value, span: Span) -> ir.Value:
    """`value.T`: the axes in reverse, whatever their number; numpy's for vectors and scalars too."""
    shape_of(low, value, span)
    assert is_tensor(value)
    dims = value.type.shape
    if dims is not None and len(dims) < 2:
        return value
    return typed(Writer(low, span).transpose(value), value.type.element, dims and dims[::-1])


def known_length(shape: IntTuple) -> int | None:
    if shape.places is not None:
        return len(shape.places)
    dims = None if shape.value is None else shape.value.type.shape
    return ir.size_of(dims[0]) if dims else None


def known_sizes(dims: ir.Shape) -> list[int] | None:
    """The sizes of all axes, where they are known."""
    known = [size for size in map(ir.size_of, dims or ()) if size is not None]
    return None if dims is None or len(known) < len(dims) else known


def static_sizes(shape: IntTuple) -> list[int] | None:
    """All entries, where they are known."""
    return None if shape.places is None else known_sizes(_dims(shape, shape.places))


def _dims(shape: IntTuple, places: tuple[int, ...]) -> tuple[ir.Dimension, ...]:
    owner = shape.owner
    assert owner is not None and is_tensor(owner) and owner.type.shape is not None
    return tuple(owner.type.shape[place] for place in places)


def length(low: Lowering, shape: IntTuple, span: Span) -> Operand:
    """`len(shape)`: known, the rank that a caller decides, or a number."""
    known = known_length(shape)
    if known is not None:
        return known
    if shape.owner is not None and shape.start is None and shape.stop is None:
        return rank_of(low, shape.owner, span)
    return as_number(Writer(low, span).size(tuple_tensor(low, shape, span)))


def first_dimension(low: Lowering, value: ir.Value, span: Span) -> Operand:
    """`len(x)` of a tensor; fails at run time where it has rank 0."""
    shape = shape_of(low, value, span)
    if shape.places == ():
        raise low.error("OW312", "Python says: a tensor of rank 0 has no length", span)
    return tuple_item(low, shape, 0, span)


def length_of(low: Lowering, operand: Operand, span: Span) -> Operand | None:
    """`len(operand)` of what the run time knows; None of what has no such length."""
    return _lengths.of(operand)(operand, low, span)


_lengths: Operation[Operand, [Lowering, Span], Operand | None] = Operation(lambda operand, low, span: None)
_lengths.on(IntTuple)(lambda operand, low, span: length(low, operand, span))


@_lengths.on(AttributeOperand)
def _length_of_attribute(operand: AttributeOperand, low: Lowering, span: Span) -> Operand | None:
    if not operand.is_list:
        return None
    return as_number(Writer(low, span).size(attribute_value(low, operand.parameter, span)), ir.NumberKind.INT)


@_lengths.on(ir.Value)
def _length_of_value(operand: ir.Value, low: Lowering, span: Span) -> Operand | None:
    if operand.type.sequence_item is not None:
        return sequence_length(low, operand, span)
    if operand.type.element is None:
        return None
    refuse_number(low, operand, "length", span)
    return first_dimension(low, operand, span)


# ----------------------------------------------------------------------------------------------- as a tensor


def tuple_tensor(low: Lowering, shape: IntTuple, span: Span | None) -> ir.Value:
    """All entries as an INT64 tensor of rank 1."""
    if shape.value is not None:
        return shape.value
    assert shape.owner is not None
    op = Writer(low, span)
    if shape.places is None:
        return _part(low, op, shape.owner, shape.start, shape.stop)
    dims = _dims(shape, shape.places)
    known = known_sizes(dims)
    if known is not None:
        return op.int64s(known)
    first, last = shape.places[0], shape.places[-1]
    if shape.places != tuple(range(first, last + 1)):
        gathered = op.gather(whole_shape(low, shape.owner, span), op.int64s(shape.places), axis=0)
        return typed(gathered, "int64", (len(dims),))
    rank = _rank(shape.owner)
    part = _part(low, op, shape.owner, first or None, None if last + 1 == rank else last + 1)
    return typed(part, "int64", (len(dims),))


def whole_shape(low: Lowering, owner: ir.Value, span: Span | None) -> ir.Value:
    """`Shape(owner)`; of an input of the function it is made once."""
    type_ = ir.TensorType(low.element_of("int64"), (_rank(owner),))
    if any(owner is value for value in low.function.inputs):
        return low.once(("shape", owner), SHAPE.name, [owner], {}, type_, span)
    return typed(Writer(low, span).shape(owner), type_.element, type_.shape)


def _rank(owner: ir.Value) -> int | None:
    return owner.type.rank


def _part(low: Lowering, op: Writer, owner: ir.Value, start: int | None, stop: int | None) -> ir.Value:
    """`Shape(owner)[start:stop]`; `Shape` itself takes a part since opset 15."""
    if start is None and stop is None:
        return whole_shape(low, owner, op.span)
    if low.target.is_before(15):
        whole = whole_shape(low, owner, op.span)
        return emit_slices(low, whole, [(0, Range(start, stop, 1))], op.span or (0, 0, 0, 0))
    limits = {"start": start or 0} | ({} if stop is None else {"end": stop})
    return op.shape(owner, **limits)


@tensors.on(IntTuple)
def _as_tensor(shape: IntTuple, low: Lowering, element: ir.Element | None, span: Span | None) -> ir.Value:
    value, int64 = tuple_tensor(low, shape, span), low.element_of("int64")
    if element is None or ir.settle(element) is int64:
        return value
    return run_time_as(low, value, int64, ir.NumberKind.INT, element, span)


# ------------------------------------------------------------------------------------------------ its entries


def tuple_item(low: Lowering, shape: IntTuple, index: int | ir.Value, span: Span) -> int | ir.Value:
    """`shape[index]`: an int where it is known, else a number. Out of range it fails, at the latest at run time."""
    op = Writer(low, span)
    if not isinstance(index, int):
        check_age(low, span)
        return as_number(op.gather(tuple_tensor(low, shape, span), index, axis=0))
    count = known_length(shape)
    if count is not None and not -count <= index < count:
        raise low.error(
            "OW342",
            f"index {index} is out of range for {count} entries",
            span,
            "Python says the same",
            depends_on=Choice.RANK,
        )
    if shape.places is not None:
        assert shape.owner is not None and is_tensor(shape.owner) and shape.owner.type.shape
        place = shape.places[index]
        dim = shape.owner.type.shape[place]
        size = ir.size_of(dim)
        if size is not None:
            return size
        made = _dimension(low, op, shape.owner, place)
        if dim is not None:
            low.trail.put(low.sizes.names, made, str(dim))
        return made
    if index < 0:
        check_age(low, span)
    if shape.owner is not None and shape.start is None and shape.stop is None:
        return _dimension(low, op, shape.owner, index)
    return as_number(op.gather(tuple_tensor(low, shape, span), op.int64(index), axis=0))


def _dimension(low: Lowering, op: Writer, owner: ir.Value, axis: int) -> ir.Value:
    whole = whole_shape(low, owner, op.span)
    inputs: list[ir.Value | None] = [whole, op.int64(axis)]
    rank = _rank(owner)
    # An entry that may not exist fails where it is read, and nowhere else.
    exists = rank is not None and -rank <= axis < rank
    if exists and any(owner is value for value in low.function.inputs):
        attributes: dict[str, ir.Attribute] = {"axis": ir.AttributeValue(ir.AttributeKind.INT, 0)}
        number = ir.NumberType(ir.NumberKind.INT)
        return low.once(("dimension", owner, axis), GATHER.name, inputs, attributes, number, op.span)
    return as_number(op.gather(whole, op.int64(axis), axis=0))


def tuple_items(low: Lowering, shape: IntTuple, span: Span, why: str) -> tuple[Operand, ...]:
    """Every entry; how many there are must be known."""
    size = known_length(shape)
    if size is not None:
        return tuple(tuple_item(low, shape, index, span) for index in range(size))
    if shape.owner is not None:
        require_rank(low, shape.owner, span)
    if shape.value is not None:  # a part of an attribute, say
        need_static(low, shape.value, span)
    raise low.error(
        "OW341",
        "how many ints there are must be known when the function is built",
        span,
        reason=why,
        help="take single entries: `shape[0]`",
    )


def tuple_slice(low: Lowering, shape: IntTuple, item: SliceItem, span: Span) -> IntTuple:
    """`shape[start:stop:step]`."""
    read = read_range(low, item, span)
    static = read.static
    check_age(low, span)
    if shape.places is not None and static is not None:
        return IntTuple(shape.owner, shape.places[static])
    untouched = shape.owner is not None and shape.start is None and shape.stop is None
    if static is not None and untouched and read.step == 1:
        stop = None if static.stop == INT64_MAX else static.stop
        return IntTuple(shape.owner, None, static.start or None, stop)
    value = emit_slices(low, tuple_tensor(low, shape, span), [(0, read)], span)
    return IntTuple(None, value=value)


def subscript_shape(low: Lowering, shape: IntTuple, item: Operand, span: Span) -> Operand:
    """`x.shape[item]`."""
    if isinstance(item, SliceItem):
        return tuple_slice(low, shape, item, span)
    return tuple_item(low, shape, read_position(low, item, span), span)
