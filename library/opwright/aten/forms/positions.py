"""Positions along dimensions: where slices, shifts and diagonals begin and end."""

from __future__ import annotations

import math
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.dimensions import axes
from opwright.aten.forms.list_items import numbers, paired

_LAST = (1 << 63) - 1  # ONNX's Slice takes the largest int64 as the end of any dimension


def start(value: Any, call: CallShape) -> list[Any]:
    """The start of a slice as a list of one; `[0]` for None."""
    return [0 if value is None else value]


def end(value: Any, call: CallShape) -> list[Any]:
    """The end of a slice as a list of one; for None the largest int64, which stands for the end of the dimension."""
    return [_LAST if value is None else value]


def start_from_front(value: Any, call: CallShape) -> list[Any]:
    """A position along `dim` as a list of one, counted from the beginning: `[3]` for -1 and a size of 4. A negative one
    is refused where the size is not known."""
    if not isinstance(value, int) or value >= 0:
        return [value]
    return [_from_front(value, call.size_along(call.values["dim"]))]


def row(value: Any, call: CallShape) -> int | None:
    """A position along the first dimension, counted from the beginning; None for None. A negative one is refused where
    the size is not known."""
    if value is None or value >= 0:
        return None if value is None else int(value)
    return _from_front(value, call.size_along(0))


def _from_front(value: int, size: int | None) -> int:
    if size is None:
        raise NoForm(f"it is {value}, counted from the end of a dimension whose size is not known")
    if value + size < 0:
        raise NoForm(f"it is {value}, and the dimension has {size} elements")
    return int(value + size)


def part_is_known(value: Any, call: CallShape) -> bool:
    """Whether the first and the last element of the slice from `start` to `end` along `dim` are known, and the slice
    has all elements between them: `step` is 1."""
    return _part(call) is not None


def part_start(value: Any, call: CallShape) -> list[int] | None:
    """Where the slice from `start` to `end` begins, as a list of one: `[1]` for -3 and a size of 4. None where it
    begins with the dimension, or where `part_is_known` is false."""
    part = _part(call)
    return None if part is None or part[0] == 0 else [part[0]]


def part_end(value: Any, call: CallShape) -> list[int] | None:
    """Where the slice from `start` to `end` ends, as a list of one: the position after its last element. None where it
    ends with the dimension, or where `part_is_known` is false."""
    part = _part(call)
    size = call.size_along(call.values["dim"])
    return None if part is None or part[1] == (_LAST if size is None else size) else [part[1]]


def _part(call: CallShape) -> tuple[int, int] | None:
    """The positions between which the elements of the slice are, counted from the beginning, as far as that is
    known."""
    size = call.size_along(call.values["dim"])
    first, last = call.values["start"], call.values["end"]
    bounds: list[int] = []
    for bound in (0 if first is None else first, _LAST if last is None else last):
        if not isinstance(bound, int) or (bound < 0 and size is None):
            return None
        from_front = bound + size if bound < 0 and size is not None else bound
        bounds.append(max(from_front if size is None else min(from_front, size), 0))
    return (bounds[0], max(bounds)) if call.values["step"] == 1 else None


def roll_cuts(value: Any, call: CallShape) -> list[int]:
    """For each of `dims` the position of the element that comes first after a shift by the given number: `[2]` for a
    shift by 1 along a size of 3. Without `dims` all elements are one dimension. -1 where the size is not known, or the
    graph computes the shift."""
    dims = numbers(call.values["dims"], call)
    found = [call.size_along(dim) for dim in dims] if dims else [_count(call)]
    return [
        -1 if size is None or not isinstance(shift, int) else -shift % max(size, 1)
        for shift, size in paired(numbers(value, call), found)
    ]


def roll_shifts(value: Any, call: CallShape) -> list[Any] | None:
    """The shifts as a list; None where `roll_cuts` gives all positions."""
    return numbers(value, call) if -1 in roll_cuts(value, call) else None


def _count(call: CallShape) -> int | None:
    """The number of elements of the first tensor, None where it is not known."""
    if call.sizes is None or None in call.sizes:
        return None
    return math.prod(item or 0 for item in call.sizes)


def diagonal_places(value: Any, call: CallShape) -> list[int] | None:
    """The positions of a diagonal among all elements of a matrix of the dimensions `dim1` and `dim2`, the value being
    its offset: `[2, 7]` for offset 2 of `(3, 4)`. None where one of the two sizes is not known."""
    first, second = axes([call.values["dim1"], call.values["dim2"]], call)
    rows, columns = call.size_along(first), call.size_along(second)
    if rows is None or columns is None:
        return None
    row, column = below_zero(value, call), above_zero(value, call)
    count = max(min(rows - row, columns - column), 0)
    return [row * columns + column + place * (columns + 1) for place in range(count)]


def below_zero(value: Any, call: CallShape) -> int:
    """The row in which the diagonal of that offset begins: 2 for -2, 0 for a positive one."""
    return -value if value < 0 else 0


def above_zero(value: Any, call: CallShape) -> int:
    """The column in which the diagonal of that offset begins: 2 for 2, 0 for a negative one."""
    return value if value > 0 else 0
