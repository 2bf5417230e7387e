"""Permutations: orders of dimensions for ONNX's Transpose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm, axis_of
from opwright.aten.forms.dimensions import axes
from opwright.aten.forms.list_items import numbers, paired


def order(value: Any, call: CallShape) -> list[int] | None:
    """The permutation that swaps the dimensions `dim0` and `dim1`, or `axis0` and `axis1`; None if they are the
    same."""
    first, second = axes(value, call), axes(call.values.get("dim1", call.values.get("axis1")), call)
    return None if first == second else _swapped(call.rank, first, second)


def moved_order(value: Any, call: CallShape) -> list[int]:
    """The permutation that moves the dimensions `source` to the positions `destination`, numbers or lists of equal
    length, and leaves the others in their order: `[1, 2, 0]` for 0 to 2 of rank 3."""
    source, destination = (axes(numbers(call.values[name], call), call) for name in ("source", "destination"))
    others = (item for item in range(call.rank) if item not in source)
    target = dict(paired(destination, source))
    return [target[place] if place in target else next(others) for place in range(call.rank)]


def last_two_swapped(value: Any, call: CallShape) -> list[int]:
    """The permutation that swaps the last two dimensions of a tensor. An unknown rank and one below 2 are refused."""
    sizes = call.sizes_of(value)
    if sizes is None or len(sizes) < 2:
        raise NoForm("its rank is not known, or below 2")
    return _swapped(len(sizes), -2, -1)


def dimensions_last(value: Any, call: CallShape) -> list[int] | None:
    """The permutation that moves the dimensions `dim1` and `dim2` to the end; None if they are there in this order."""
    pair = axes([call.values["dim1"], call.values["dim2"]], call)
    return _unless_identity([*(item for item in range(call.rank) if item not in pair), *pair])


def turned_order(value: Any, call: CallShape) -> list[int] | None:
    """The permutation that swaps the two dimensions `dims` where `k` is odd: a plane turned by 90 or 270 degrees; else
    None."""
    first, second = _plane(call)
    return _swapped(call.rank, first, second) if call.values["k"] % 2 else None


def turned_axes(value: Any, call: CallShape) -> list[int]:
    """The dimensions to reverse before `turned_order`, where the plane of the two dimensions `dims` is turned by `k`
    right angles: `[1]` for dims `[0, 1]` and 1 right angle, `[0, 1]` for 2, `[0]` for 3, `[]` for 4."""
    first, second = _plane(call)
    found: list[int] = [[], [second], [first, second], [first]][call.values["k"] % 4]
    return found


def part_last(value: Any, call: CallShape) -> list[int] | None:
    """The permutation that moves to the end the dimension which was made after the given one of the first tensor: `[0,
    2, 1]` for dimension 0 of rank 2; None if it is there. A tensor of rank 0 is refused."""
    if call.rank == 0:
        raise NoForm("the first tensor has rank 0")
    inner = call.axis(value) + 1
    return _unless_identity([*(item for item in range(call.rank + 1) if item != inner), inner])


def embedded_order(value: Any, call: CallShape) -> list[int] | None:
    """The permutation of matrices that are made of the vectors of the first tensor: it moves rows and columns, the last
    two dimensions, to the positions `dim1` and `dim2`; None if they are there."""
    rank = call.rank + 1
    first, second = (axis_of(call.values[name], rank) for name in ("dim1", "dim2"))
    if first == second:
        raise NoForm("a dimension is given twice")
    others = iter(range(rank - 2))
    target = {first: rank - 2, second: rank - 1}
    return _unless_identity([target[item] if item in target else next(others) for item in range(rank)])


def _plane(call: CallShape) -> tuple[int, int]:
    """The two dimensions `dims`."""
    found = axes(call.values["dims"], call)
    if len(found) != 2:
        raise NoForm(f"`dims` are {len(found)} dimensions, and a plane has 2")
    return found[0], found[1]


def _swapped(rank: int, first: int, second: int) -> list[int]:
    """All dimensions in their order, but for two that change places."""
    places = list(range(rank))
    places[first], places[second] = places[second], places[first]
    return places


def _unless_identity(order: Sequence[int]) -> list[int] | None:
    """The permutation; None if it changes nothing."""
    return None if [*order] == list(range(len(order))) else [*order]
