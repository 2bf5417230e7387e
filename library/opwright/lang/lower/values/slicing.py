"""Where the items of a tensor's subscript stand, each with its axis counted from the nearer side of `...`; and slices:
numpy's meaning of `start:stop:step`, in at most two `Slice` nodes.

`Slice` clamps as numpy does, with two exceptions. Walking down, numpy gives nothing where the start lies before the
first element, while `Slice` begins at that element. So a walk down that might start there is taken in two steps: the
part that it walks over, then that part backwards. And where a walk down stops at the largest int32 or int64, numpy
gives nothing, while onnxruntime walks to the first element: such a walk stops one before.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.infer.result_lengths import ENDS_EITHER_WAY
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.index_items import INT64_MAX, INT64_MIN, Bound, Item, Mask, Range
from opwright.lang.lower.state.context import Lowering
from opwright.lang.meaning.operands import (
    ELLIPSIS,
    is_tensor,
    known_int,
)
from opwright.lang.text.source import Span


class Placed:
    """An item and its axis; of a new axis, the one before which it stands.

    Before `...` (or without it) axes count from the front. After it they are negative, and `back` is set; a new axis
    behind the last one has 0 there.
    """

    __slots__ = ("axis", "back", "item")

    def __init__(self, item: Item, axis: int, back: bool) -> None:
        self.item = item
        self.axis = axis
        self.back = back


def lay_out(low: Lowering, shape: tuple[ir.Dimension, ...] | None, items: Sequence[Item], span: Span) -> list[Placed]:
    """Gives every item but `...` its axis, and refuses what is out of range for what is known of the tensor."""
    if sum(item is ELLIPSIS for item in items) > 1:
        raise low.error("OW342", "a subscript has one `...` at most", span, "numpy says the same")
    taken = sum(item.axes for item in items)
    if shape is not None and taken > len(shape):
        raise low.error(
            "OW342",
            f"{taken} indices for a tensor of rank {len(shape)}",
            span,
            reason="each index takes one axis",
            depends_on=Choice.RANK,
        )
    placed: list[Placed] = []
    axis, back, left = 0, False, taken
    for item in items:
        if item is ELLIPSIS:
            axis, back = -left, True
            continue
        placed.append(Placed(item, axis, back))
        dim = None if shape is None or item.position is None else ir.size_of(shape[axis])
        if dim is not None and item.position is not None and not -dim <= item.position < dim:
            raise low.error(
                "OW342", "the index is out of range", span, f"the axis has {dim} elements", depends_on=Choice.RANK
            )
        if shape is not None and isinstance(item, Mask):
            _check_mask(low, item, shape[axis:][: item.axes], span)
        axis += item.axes
        left -= item.axes
    return placed


def _check_mask(low: Lowering, mask: Mask, dims: Sequence[ir.Dimension], span: Span) -> None:
    """Operators take a mask of another length than its axis; numpy takes one without elements, which keeps none."""
    for marks, dim in zip(mask.value.type.shape or (), dims, strict=True):
        length, size = ir.size_of(marks), ir.size_of(dim)
        if length and size is not None and length != size:
            raise low.error(
                "OW342",
                f"a mask of length {length} along an axis of {size}",
                span,
                reason="a mask says of each element whether it is kept",
                depends_on=Choice.RANK,
            )


def needs_all_at_once(items: Sequence[Item]) -> bool:
    """Whether numpy makes one index of several: two arrays, a mask of several axes, an array apart from a position."""
    arrays = [item for item in items if item.is_joint]
    if not arrays:
        return False
    if len(arrays) > 1 or arrays[0].axes > 1:
        return True
    return not stand_together(items)


def stand_together(items: Sequence[Item]) -> bool:
    """Whether positions, arrays and masks stand side by side: what they make then stands in their place."""
    places = [place for place, item in enumerate(items) if item.is_advanced]
    return all(item.is_advanced for item in items[places[0] : places[-1] + 1])


def emit_slices(low: Lowering, owner: ir.Value, ranges: Sequence[tuple[int, Range]], span: Span) -> ir.Value:
    """The tensor, sliced along the axes that are paired with ranges; axes may be negative."""
    first: list[tuple[int, Range]] = []
    second: list[tuple[int, Range]] = []
    op = Writer(low, span)
    for axis, item in ranges:
        if item.whole:
            continue
        if not _starts_before(item):
            first.append((axis, item))
        elif item.known_step is not None:
            first.append((axis, Range(_one_above(op, item.stop), _one_above(op, item.start), 1)))
            second.append((axis, Range(None, None, item.known_step)))
        else:
            raise low.error(
                "OW340",
                "a slice whose step is known at run time only needs a start of 0 or more",
                span,
                reason="its sign decides what a negative start means",
                help="leave the start out, or make the step a constant",
                depends_on=Choice.RANK | Choice.INFERRED_TYPE,
            )
    value = owner
    for group in (first, second):
        if group:
            value = _slice(op, value, group)
    return value


def _starts_before(item: Range) -> bool:
    """Whether a walk down might start before the first element."""
    step = item.known_step
    start = None if item.start is None else known_int(item.start)
    return (step is None or step < 0) and item.start is not None and (start is None or start < 0)


def _one_above(op: Writer, bound: Bound) -> Bound:
    """What bounds a walk down, as a bound of the walk up over the same elements: -1 is the last element."""
    if bound is None:
        return None
    if isinstance(bound, int):
        return INT64_MAX if bound == -1 else min(bound, INT64_MAX - 1) + 1
    # The largest int is the end too, and has none above it.
    last = op.or_(op.equal(bound, op.int64(-1)), op.equal(bound, op.int64(INT64_MAX)))
    return op.where(last, op.int64(INT64_MAX), op.add(bound, op.int64(1)))


def _slice(op: Writer, value: ir.Value, group: list[tuple[int, Range]]) -> ir.Value:
    starts = op.integers([_start(op, item) for _, item in group])
    stops = op.integers([_stop(op, item) for _, item in group])
    inputs = [value, starts, stops, op.int64s([axis for axis, _ in group])]
    if any(item.step != 1 for _, item in group):
        inputs.append(op.integers([item.step for _, item in group]))
    assert is_tensor(value)
    result = op.slice(*inputs)
    return typed(result, value.type.element, _shape(value.type.shape, group))


def _start(op: Writer, item: Range) -> int | ir.Value:
    if item.start is not None:
        return item.start
    if item.known_step is not None:
        return 0 if item.known_step > 0 else INT64_MAX
    return op.where(op.less(op.at(item.step), op.int64(0)), op.int64(INT64_MAX), op.int64(0))


def _stop(op: Writer, item: Range) -> int | ir.Value:
    if item.stop is not None:
        is_upwards = item.known_step is not None and item.known_step > 0
        return item.stop if is_upwards else _below_the_end(op, item.stop, item.step)
    if item.known_step is not None:
        return INT64_MAX if item.known_step > 0 else INT64_MIN
    return op.where(op.less(op.at(item.step), op.int64(0)), op.int64(INT64_MIN), op.int64(INT64_MAX))


def _below_the_end(op: Writer, stop: int | ir.Value, step: int | ir.Value) -> int | ir.Value:
    """Where a walk stops that may lead down: a place behind all elements is one that a Slice takes for that."""
    if isinstance(stop, int) and stop not in ENDS_EITHER_WAY:
        return stop
    known = known_int(step)
    if isinstance(stop, int) and known is not None:
        return stop - 1
    value = op.at(stop)
    least, most = (op.equal(value, op.int64(end)) for end in ENDS_EITHER_WAY)
    moved = op.or_(least, most)
    if known is None:
        moved = op.and_(moved, op.less(op.at(step), op.int64(0)))
    return op.where(moved, op.sub(value, op.int64(1)), value)


def _shape(shape: tuple[ir.Dimension, ...] | None, group: list[tuple[int, Range]]) -> tuple[ir.Dimension, ...] | None:
    if shape is None:
        return None
    dims = list(shape)
    for axis, item in group:
        dims[axis] = sliced_length(dims[axis], item)
    return tuple(dims)


def sliced_length(dim: ir.Dimension, item: Range) -> int | None:
    """How many elements a slice takes of an axis, where that is known."""
    bounds, size = item.static, ir.size_of(dim)
    return None if bounds is None or size is None else len(range(*bounds.indices(size)))
