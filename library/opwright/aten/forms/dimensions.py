"""Dimensions: counted from the first one, or chosen by what is known of the first tensor."""

from __future__ import annotations

from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm, axis_of
from opwright.aten.forms.list_items import numbers


def axes(value: Any, call: CallShape) -> Any:
    """A dimension, or a list of dimensions, as non-negative numbers: `[-1, 0]` gives `[2, 0]` for rank 3; None stays
    None. A tensor of rank 0 has one dimension here, as in PyTorch. A dimension that does not exist or is given twice is
    refused."""
    if value is None:
        return None
    if isinstance(value, int):
        return call.axis(value)
    found = [call.axis(item) for item in value]
    if len({*found}) != len(found):
        raise NoForm("a dimension is given twice")
    return found


def all_axes(value: Any, call: CallShape) -> Any:
    """As `axes`, always a list; all dimensions for None and for an empty list."""
    if value is None or (not isinstance(value, int) and not value):
        return list(range(call.rank))
    return axes(numbers(value, call), call)


def own_axes(value: Any, call: CallShape) -> Any:
    """As `axes`, but a tensor of rank 0 has no dimension: None for a number, `[]` for a list."""
    found = axes(value, call)
    if call.rank:
        return found
    return None if value is None or isinstance(value, int) else []


def other_axes(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions but the given one: `[0, 2]` for 1 of rank 3; None for None."""
    one = axes(value, call)
    return None if one is None else [item for item in range(call.rank) if item != one]


def axes_of_length(value: Any, call: CallShape) -> list[int] | None:
    """As `other_axes`; for -1 all dimensions, which is what PyTorch's lengths of weights take it for."""
    return list(range(call.rank)) if value == -1 else other_axes(value, call)


def axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """Those of the given dimensions whose size is 1; None if there are none. An unknown size counts as other than 1, as
    in PyTorch's exporter."""
    chosen = axes(numbers(value, call), call)
    return [item for item in chosen if call.rank and call.size_along(item) == 1] or None


def all_axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions of the first tensor whose size is 1, whatever the value; None if there are none."""
    return axes_of_one(list(range(call.rank)), call)


def last_axes(value: Any, call: CallShape) -> list[int]:
    """As many of the last dimensions as the list has items: a list of 2 sizes gives `[1, 2]` for rank 3. An empty list
    and one that is longer than the rank are refused."""
    if not value or len(value) > call.rank:
        raise NoForm(f"it names {len(value)} of {call.rank} dimensions")
    return list(range(call.rank - len(value), call.rank))


def first_of_last_axes(value: Any, call: CallShape) -> int:
    """The first of the dimensions that `last_axes` gives, counted from the end: -2 for a list of 2 sizes. An empty list
    is refused."""
    if not value:
        raise NoForm("it names no dimension")
    return -len(value)


def axes_of_channels(value: Any, call: CallShape) -> list[int]:
    """All dimensions but the second one, that of channels: `[0, 2, 3]` for rank 4. A rank below 2 is refused."""
    if call.rank < 2:
        raise NoForm("the tensor has no channels")
    return [0, *range(2, call.rank)]


def axes_of_space(value: Any, call: CallShape) -> list[int]:
    """All dimensions after batch and channels: `[2, 3]` for rank 4; `[2]` where there are none."""
    return list(range(2, max(call.rank, 3)))


def trailing_axes(value: Any, call: CallShape) -> list[int]:
    """The axes that a vector along the given dimension gets by Unsqueeze to be broadcast with the first tensor, one for
    each dimension after it: `[1, 2]` for dimension 1 of rank 4."""
    return list(range(1, call.rank - call.axis(value)))


def trailing_axes_from_front(value: Any, call: CallShape) -> list[int]:
    """As `trailing_axes`. A negative dimension is refused: some operators do not count it from the end."""
    if value < 0:
        raise NoForm(f"the dimension {value} is negative")
    return trailing_axes(value, call)


def behind(value: Any, call: CallShape) -> int | None:
    """The number of the dimension after the given one: 3 for -1 of rank 3; None for None."""
    return None if value is None else call.axis(value) + 1


def own_rank(value: Any, call: CallShape) -> int | None:
    """The rank of a tensor; None for None. An unknown one is refused."""
    return None if value is None else _rank_of(value, call)


def own_last_axis(value: Any, call: CallShape) -> int | None:
    """The last dimension of a tensor: 2 for rank 3; None for None."""
    return None if value is None else axis_of(-1, _rank_of(value, call))


def common_rank(value: Any, call: CallShape) -> int:
    """The rank of the shape to which the tensors of the call are broadcast: 3 for ranks 2 and 3. Refused where one is
    not known."""
    return max(_rank_of(item, call) for item in call.values.values() if call.facts_of(item) is not None)


def common_axis(value: Any, call: CallShape) -> int:
    """A dimension of the shape to which the tensors of the call are broadcast, as a non-negative number: 2 for -1 and
    ranks 2 and 3."""
    return axis_of(value, common_rank(value, call))


def last_common_axis(value: Any, call: CallShape) -> int:
    """The last dimension of the shape to which the tensors of the call are broadcast, whatever the value."""
    return common_axis(-1, call)


def first_of_three(value: Any, call: CallShape) -> int:
    """The given dimension as a non-negative number; for None the first dimension of size 3. It is refused where there
    is none, and where a size before it is not known."""
    if value is not None:
        return call.axis(value)
    for place in range(call.rank):
        size = call.size_along(place)
        if size is None:
            raise NoForm("which dimension has size 3 is not known")
        if size == 3:
            return place
    raise NoForm("no dimension has size 3")


def _rank_of(tensor: Any, call: CallShape) -> int:
    sizes = call.sizes_of(tensor)
    if sizes is None:
        raise NoForm("the rank of a tensor is not known")
    return len(sizes)
