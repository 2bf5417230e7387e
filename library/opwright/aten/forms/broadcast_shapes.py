"""Shapes in which a vector is broadcast with the first tensor, and how often Tile repeats it."""

from __future__ import annotations

from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm


def along(value: Any, call: CallShape) -> list[int]:
    """The shape in which a vector is broadcast along the given dimension: `[-1, 1, 1]` for dimension 1 of rank 4."""
    return [-1] + [1] * (call.rank - 1 - call.axis(value))


def channel_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape in which a vector of numbers for channels, the second dimension, is broadcast: `[-1, 1, 1]` for rank 4,
    `[]` for rank 0. None where its own shape does that: of a tensor of rank 1 or 2, and for a value of rank 0."""
    if call.sizes_of(value) == () or (call.sizes is not None and len(call.sizes) in (1, 2)):
        return None
    return [] if call.rank == 0 else [-1, *[1] * (call.rank - 2)]


def channel_sizes(value: Any, call: CallShape) -> list[int]:
    """As `channel_shape` with a first size for the batch: `[1, -1, 1, 1]` for rank 4. Of a tensor of rank 1 the
    dimension is that of channels: `[-1]`. Rank 0 is refused."""
    if call.rank == 0:
        raise NoForm("the tensor has no channels")
    return [-1] if call.rank == 1 else [1, -1, *[1] * (call.rank - 2)]


def repetitions(value: Any, call: CallShape) -> list[Any]:
    """How often each dimension is repeated: the list, with 1 for leading dimensions that it does not cover. `[2]` gives
    `[1, 2]` for rank 2."""
    return [1] * (call.rank - len(value)) + list(value)


def new_axes(value: Any, call: CallShape) -> list[int] | None:
    """The leading dimensions by which the list is longer than the rank: `[0, 1]` for a list of 3 and rank 1; None if
    there are none."""
    return list(range(len(value) - call.rank)) or None


def counts_behind(value: Any, call: CallShape) -> list[Any]:
    """How often each dimension is repeated where the first tensor has a new dimension after `dim`: the value for the
    new one and 1 for each other. `[1, 2, 1]` for 2 and dim 0 of rank 2. Without `dim` and for rank 0 the tensor is a
    column of all elements: `[1, 2]`."""
    dim = call.values["dim"]
    if dim is None or call.rank == 0:
        return [1, value]
    axis = call.axis(dim)
    return [1] * (axis + 1) + [value] + [1] * (call.rank - 1 - axis)


def new_axis_behind(value: Any, call: CallShape) -> list[int] | None:
    """The dimension after the given one as a list of one, for Unsqueeze; None for None and for a tensor of rank 0."""
    return None if value is None or call.rank == 0 else [call.axis(value) + 1]
