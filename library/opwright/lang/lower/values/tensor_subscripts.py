"""Subscripts of tensors: numpy's meaning and numpy's rank, with the operators that take elements at run time; and their
rows, which Python runs over: parts along the first axis, with a rank less by one.

An index that is out of range fails when the model runs, as it does in Python: positions become `Gather`, never a
`Slice`, which would clamp them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from opwright.lang import ir
from opwright.lang.lower.nodes.held_arrays import item_of_array
from opwright.lang.lower.nodes.primitives import Writer, typed
from opwright.lang.lower.numbers.index_items import (
    Advanced,
    Array,
    Item,
    Position,
    Range,
    check_age,
    read_item,
)
from opwright.lang.lower.numbers.mixed import refuse_number
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.values.array_arithmetic import computed_by_numpy, is_array
from opwright.lang.lower.values.shapes import shape_of, tuple_item
from opwright.lang.lower.values.slicing import Placed, emit_slices, lay_out, needs_all_at_once
from opwright.lang.meaning.operands import NEWAXIS, IndexItem, Operand, is_tensor
from opwright.lang.text.source import Span


def subscript_tensor(low: Lowering, owner: ir.Value, index: Sequence[IndexItem], span: Span) -> ir.Value:
    """`owner[index]`, where `index` holds what stands between the brackets, in order."""
    assert is_tensor(owner)
    check_age(low, span)
    items: list[Item] = []
    for part in index:
        item = read_item(low, part, span)
        items.append(item)
    layout = lay_out(low, owner.type.shape, items, span)
    value = emit_slices(low, owner, [(it.axis, it.item) for it in layout if isinstance(it.item, Range)], span)
    if needs_all_at_once(items) or _are_blocks_of_texts(owner, layout):
        from opwright.lang.lower.values.joint_indices import gather_together

        return gather_together(low, value, items, layout, span)
    return _one_by_one(low, value, layout, span)


def _are_blocks_of_texts(owner: ir.Value, layout: Sequence[Placed]) -> bool:
    """Whether texts that stand together are taken, of which onnxruntime's Gather copies the first alone."""
    element, rank = ir.known_element(owner.type.element), owner.type.rank
    if element is None or element.kind != "string":
        return False
    last = -1 if rank is None else rank - 1
    picked = [placed for placed in layout if isinstance(placed.item, Position | Array)]
    return any(placed.axis not in (last, -1) for placed in picked)


def _one_by_one(low: Lowering, value: ir.Value, layout: list[Placed], span: Span) -> ir.Value:
    """Works off the items from those furthest from the end that their axis is counted from.

    So what one of them adds or takes away moves no axis of those that follow, and no rank needs to be known.
    """
    op = Writer(low, span)
    front = [placed for placed in layout if not placed.back]
    back = [placed for placed in layout if placed.back]
    for placed, count in (*_runs(reversed(front)), *_runs(back)):
        if placed.item is NEWAXIS:
            value = _new_axes(op, value, placed, count)
        elif isinstance(placed.item, Advanced):
            value = _take(op, value, placed.item, placed.axis)
    return value


def _runs(placed: Iterable[Placed]) -> Iterator[tuple[Placed, int]]:
    """New axes that stand side by side are one."""
    found: list[tuple[Placed, int]] = []
    for item in placed:
        if item.item is NEWAXIS and found and found[-1][0].item is NEWAXIS:
            found[-1] = (item, found[-1][1] + 1)
        else:
            found.append((item, 1))
    return iter(found)


def _new_axes(op: Writer, value: ir.Value, placed: Placed, count: int) -> ir.Value:
    axis = placed.axis
    axes = [axis - count + step for step in range(count)] if placed.back else [axis + step for step in range(count)]
    assert is_tensor(value)
    shape = value.type.shape
    if shape is not None:
        place = len(shape) + axis if placed.back else axis
        shape = (*shape[:place], *(1,) * count, *shape[place:])
    return typed(op.unsqueeze(value, axes), value.type.element, shape)


def _take(op: Writer, value: ir.Value, item: Advanced, axis: int) -> ir.Value:
    """One position, array or mask along one axis."""
    assert is_tensor(value)
    element, shape = value.type.element, value.type.shape
    result, taken = item.take(op, value, axis)
    if shape is None or taken is None:
        return typed(result, element, None)
    place = axis % len(shape)
    return typed(result, element, (*shape[:place], *taken, *shape[place + 1 :]))


def row_count(low: Lowering, value: ir.Value, span: Span) -> int | ir.Value:
    """How many rows a tensor has: known, or a number. Refuses what has none."""
    refuse_number(low, value, "items", span)
    shape = shape_of(low, value, span)
    if shape.places == ():
        raise low.error("OW312", "Python says: iteration over a 0-d tensor", span, "a tensor of rank 0 has no rows")
    return tuple_item(low, shape, 0, span)


def row(low: Lowering, value: ir.Value, index: int | ir.Value, span: Span) -> Operand:
    """A row that exists, as Python has it."""
    found = row_tensor(low, value, index, span)
    return computed_by_numpy(low, found, span) if is_array(low, value) else found


def row_tensor(low: Lowering, value: ir.Value, index: int | ir.Value, span: Span) -> ir.Value:
    """A row that exists, as a tensor."""
    assert is_tensor(value)
    element = ir.known_element(value.type.element)
    if element is not None and element.kind == "string":
        return subscript_tensor(low, value, (index,), span)  # which knows what runtimes do with texts
    op = Writer(low, span)
    made = op.gather(value, op.at(index), axis=0)
    return typed(made, value.type.element, value.type.shape and value.type.shape[1:])


def known_row_count(operand: Operand) -> int | None:
    """How many rows there are, where the type of a tensor says it."""
    if not is_tensor(operand) or operand.optional:
        return None
    dims = operand.type.shape
    return ir.size_of(dims[0]) if dims else None


def known_rows(low: Lowering, operand: Operand, span: Span) -> tuple[Operand, ...] | None:
    """All rows of a tensor, where their number is known; None where it is not, or where this is no tensor."""
    count = known_row_count(operand)
    if count is None:
        return None
    assert is_tensor(operand)
    refuse_number(low, operand, "items", span)
    if not low.held.known_arrays:
        return tuple(row(low, operand, index, span) for index in range(count))
    items = (item_of_array(low, operand, (index,), span) for index in range(count))
    return tuple(row(low, operand, index, span) if item is None else item for index, item in enumerate(items))
