"""Where the items of a tensor's subscript stand: each with its axis, counted from the nearer side of `...`."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.diagnostics.diagnostic import Choice
from opwright.lang import ir
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.index_items import Item, Mask
from opwright.lang.lower.operands import ELLIPSIS
from opwright.lang.source import Span


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
