"""Several arrays or masks in one subscript: numpy pairs their elements, which is what `GatherND` does."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.lang import ir
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.index_items import (
    Advanced,
    Array,
    Item,
    Mask,
)
from opwright.lang.lower.numbers.ranks import require_rank
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.values.slicing import Placed, stand_together
from opwright.lang.meaning.operands import ELLIPSIS, NEWAXIS, is_tensor
from opwright.lang.text.source import Span


def gather_together(
    low: Lowering, value: ir.Value, items: Sequence[Item], layout: Sequence[Placed], span: Span
) -> ir.Value:
    """The tensor, its slices taken already, at what positions, arrays and masks say together.

    1. The axes that they stand for come first (nothing to do where they are first), the others keep their order.
    2. `GatherND` replaces them by the shape to which the indices broadcast.
    3. That block goes where numpy has it: in their place where they stand side by side, else first.
    """
    op = Writer(low, span)
    advanced = [placed for placed in layout if placed.item.is_advanced]
    leading = _leading(advanced)
    in_place = stand_together(items)
    indices, block = _indices(op, [placed.item for placed in layout if isinstance(placed.item, Advanced)])
    element = value.type.element
    assert element is not None
    if leading and NEWAXIS not in items:
        return typed(op.gather_nd(value, indices), element, _joined(value, len(leading), block))
    rank = require_rank(low, value, span)
    if block is None:
        for item in items:
            if isinstance(item, Array):
                require_rank(low, item.value, span)
        raise AssertionError("a block of unknown rank comes from an array of unknown rank")
    axes = [axis % rank for placed in advanced for axis in range(placed.axis, placed.axis + placed.item.axes)]
    others = [axis for axis in range(rank) if axis not in axes]
    value = _transposed(op, value, [*axes, *others])
    value = typed(op.gather_nd(value, indices), element, _joined(value, len(axes), block))
    width = len(block)
    if in_place:
        before = axes[0]
        rest = range(width + before, width + len(others))
        value = _transposed(op, value, [*range(width, width + before), *range(width), *rest])
    new = _new_axes(items, width, len(others) - sum(_is_range(item) for item in items), in_place)
    if not new:
        return value
    assert is_tensor(value) and value.type.shape is not None
    dims = iter(value.type.shape)
    shape = tuple(1 if axis in new else next(dims) for axis in range(len(value.type.shape) + len(new)))
    return typed(op.unsqueeze(value, new), element, shape)


def _leading(advanced: Sequence[Placed]) -> list[int]:
    """The axes of the indices where those are the first ones, in order; else nothing."""
    axes: list[int] = []
    for placed in advanced:
        if placed.back or placed.axis != len(axes):
            return []
        axes.extend(range(placed.axis, placed.axis + placed.item.axes))
    return axes


def _indices(op: Writer, items: Sequence[Advanced]) -> tuple[ir.Value, tuple[ir.Dimension, ...] | None]:
    """The indices of `GatherND`, one row per element, and the shape they have but for their last axis."""
    if len(items) == 1 and isinstance(items[0], Mask):
        rows = op.non_zero(items[0].value)
        return op.transpose(rows, perm=(1, 0)), (None,)
    arrays = [array for item in items for array in item.indices(op)]
    ranks = [array.type.rank for array in arrays]
    block: tuple[ir.Dimension, ...] | None = None
    if None not in ranks:
        block = (None,) * max(rank for rank in ranks if rank is not None)
    full = [array for array, rank in zip(arrays, ranks, strict=True) if rank != 0]
    if not full:
        full = arrays[:1]
    shape = op.shape(_sum(op, full))
    expanded = [array if array is full[0] and len(full) == 1 else op.expand(array, shape) for array in arrays]
    columns = [op.unsqueeze(array, [-1]) for array in expanded]
    return (columns[0] if len(columns) == 1 else op.concat(*columns, axis=-1)), block


def _sum(op: Writer, arrays: Sequence[ir.Value]) -> ir.Value:
    """Any tensor of the shape to which all of them broadcast."""
    total = arrays[0]
    for array in arrays[1:]:
        total = op.add(total, array)
    return total


def _is_range(item: Item) -> bool:
    """What keeps its axis."""
    return item.axes == 1 and not item.is_advanced


def _joined(value: ir.Value, replaced: int, block: tuple[ir.Dimension, ...] | None) -> tuple[ir.Dimension, ...] | None:
    shape = value.type.shape
    return None if shape is None or block is None else (*block, *shape[replaced:])


def _transposed(op: Writer, value: ir.Value, order: Sequence[int]) -> ir.Value:
    if list(order) == sorted(order):
        return value
    assert is_tensor(value) and value.type.shape is not None
    shape = tuple(value.type.shape[axis] for axis in order)
    return typed(op.transpose(value, perm=tuple(order)), value.type.element, shape)


def _new_axes(items: Sequence[Item], width: int, hidden: int, in_place: bool) -> list[int]:
    """The axes of the result that `None` makes. `hidden` axes are those that `...`, or nothing, stands for."""
    axis = 0 if in_place else width
    found: list[int] = []
    block_left = in_place
    for item in items:
        if item is NEWAXIS:
            found.append(axis)
            axis += 1
        elif item is ELLIPSIS:
            axis += hidden
        elif _is_range(item):
            axis += 1
        elif block_left:
            axis, block_left = axis + width, False
    return found
