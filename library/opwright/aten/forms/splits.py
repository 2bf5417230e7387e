"""Splits: the sizes of parts of a tensor along the dimension `dim`, or what the graph computes them from."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm


def count_of_parts(value: Any, call: CallShape) -> int:
    """The size of `dim`, which is the number of its elements that become results. Size 0 is refused: a function has at
    least one result, and a size that is not known."""
    size = _size_of_dim(call)
    if size is None:
        raise NoForm("the size of the dimension is not known")
    if size == 0:
        raise NoForm("there is no part, and a function has a result")
    return size


def part_sizes(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of parts of the given size, the last one of what is left: `[2, 2, 1]` for 2 of 5; `[0]` where `dim` has
    no elements. None where the graph computes them: where the size of `dim` or of parts is not known."""
    size = _size_of_dim(call)
    if size is None or not isinstance(value, int):
        return None
    step = _number(value, at_least=1 if size else 0)
    return [min(step, size - start) for start in range(0, size, max(step, 1))] or [0]


def chunk_sizes(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of so many parts, or fewer, all equal but for the last one: `[2, 2, 1]` for 3 or 4 parts of 5; as many
    zeros as parts where `dim` has no elements. None where the graph computes them."""
    size, count = _size_of_dim(call), _number(value, at_least=1)
    if size is None:
        return None
    return part_sizes(-(-size // count), call) if size else [0] * count


def section_sizes(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of exactly so many parts, the first ones larger by one where they cannot be equal: `[2, 2, 1]` for 3
    parts of 5. None where the graph computes them. A number of parts that it computes is refused."""
    size, count = _size_of_dim(call), _number(value, at_least=1)
    if size is None:
        return None
    return [size // count + (place < size % count) for place in range(count)]


def sizes_between(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of the parts that end before the given positions, and of the last part: `[1, 3, 1]` for `[1, 4]` of 5.
    Negative positions count from the end. None where the graph computes the sizes. Positions that it computes, or that
    are known to decrease, are refused."""
    size = _size_of_dim(call)
    if not all(isinstance(item, int) for item in value):
        raise NoForm("positions are computed in the graph")
    if size is None:
        return None
    bounds = [0, *(max(item + size if item < 0 else min(item, size), 0) for item in value), size]
    if bounds != sorted(bounds):
        raise NoForm("a part begins before the end of another one")
    return [end - start for start, end in pairwise(bounds)]


def given_sizes(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of parts; None where the graph computes one of them."""
    return None if _is_computed(value) else list(value)


def where_parts_are_computed(value: Any, call: CallShape) -> Any:
    """The value from which the graph computes the sizes of parts; None where they are known."""
    is_known = not _is_computed(value) if isinstance(value, list | tuple) else _are_known(value, call)
    return None if is_known else value


def where_size_is_unknown(value: Any, call: CallShape) -> Any:
    """The value; None where the size of `dim` is known."""
    return value if _size_of_dim(call) is None else None


def count_of_computed_parts(value: Any, call: CallShape) -> int | None:
    """The number of parts, where the graph computes their sizes from the value; else None. Refused where the number of
    results is not known."""
    if where_parts_are_computed(value, call) is None:
        return None
    if call.results is None:
        raise NoForm("the graph computes the sizes, and how many results there are is not known")
    return call.results


def _is_computed(sizes: Any) -> bool:
    return not all(isinstance(item, int) for item in sizes)


def _are_known(value: Any, call: CallShape) -> bool:
    return isinstance(value, int) and _size_of_dim(call) is not None


def _size_of_dim(call: CallShape) -> int | None:
    """None where it is not known."""
    size = call.size_along(call.values["dim"])
    if call.sizes == ():
        raise NoForm("a tensor of rank 0 has no parts")
    return size


def _number(value: Any, at_least: int) -> int:
    if not isinstance(value, int):
        raise NoForm("it is computed in the graph, and decides how many results there are")
    if value < at_least:
        raise NoForm(f"it is {value}, and must be at least {at_least}")
    return value
