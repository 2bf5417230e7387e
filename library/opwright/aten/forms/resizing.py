"""Resizing: sizes and scales for ONNX's Resize, so that it gives the sizes and the elements that PyTorch does.

PyTorch is given sizes (`output_size`), scales or both, for all dimensions after batch and channels; scales are factors
from the old sizes to the new ones. It multiplies sizes by scales in double precision; Resize has scales of type float.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.known_sizes import sizes_of_space
from opwright.aten.forms.typed_numbers import nearest_float, next_float

_SCALES = ("scale_factors", "scales", "scales_d", "scales_h", "scales_w")


@dataclass(frozen=True, slots=True)
class _Resized:
    """One dimension that is resized: its sizes, None where they are not known, and the scale, None without any."""

    before: int | None
    after: int | None
    scale: float | None

    @property
    def keeps_size(self) -> bool:
        """Whether the size is known to stay the same."""
        return self.before is not None and self.before == self.after

    @property
    def doubles(self) -> bool:
        """Whether the size is known to become twice as large."""
        return self.before is not None and 2 * self.before == self.after


def resize_sizes(value: Any, call: CallShape) -> list[Any] | None:
    """The sizes to which a tensor is resized, as `output_size` gives them or scales make them: `[8, 10]` for scales of
    2 and `(2, 3, 4, 5)`. None where `resize_scales` gives scales in place of them."""
    found = _resized(call)
    by_sizes = call.values.get("align_corners", False) or resize_by_index(value, call) or not _uses_scales(found)
    if not by_sizes:
        return None
    if call.values["output_size"] is not None:
        return list(call.values["output_size"])
    return [item.after for item in found] if all(item.after is not None for item in found) else None


def resize_scales(value: Any, call: CallShape) -> list[float] | None:
    """The scales by which a tensor is resized, as floats by which Resize comes to PyTorch's sizes; None where
    `resize_sizes` gives sizes. Refused where no float does that, a dimension has neither a scale nor known sizes, or
    onnxruntime copies what PyTorch interpolates."""
    if resize_sizes(value, call) is not None:
        return None
    found = _resized(call)
    if "align_corners" in call.values and _is_copied(found):
        raise NoForm("no size changes, and onnxruntime copies where PyTorch interpolates by the scale")
    return [_scale(item) for item in found]


def linear_scales(value: Any, call: CallShape) -> list[float] | None:
    """As `resize_scales`, with 1 for a dimension that keeps its size, whatever its scale: PyTorch interpolates nothing
    there."""
    if resize_sizes(value, call) is not None:
        return None
    return [1.0 if item.keeps_size else _scale(item) for item in _resized(call)]


def resize_by_index(value: Any, call: CallShape) -> bool:
    """Whether the nearest elements are taken by their indices and not by Resize, which takes other elements than
    PyTorch for these sizes and scales, or has no kernel for tensors of type double. False for interpolation."""
    if "align_corners" in call.values:
        return False
    found = _resized(call)
    return call.is_double or _is_copied(found) or not all(map(_is_same_nearest, found))


def resize_steps(value: Any, call: CallShape) -> list[float] | None:
    """Where `resize_by_index` is true and there are scales, the distance of the nearest elements in each dimension: 0.5
    for a scale of 2; else None. Refused where a dimension has neither a scale nor known sizes."""
    return _steps(_resized(call)) if resize_by_index(value, call) else None


def lengths_by_index(value: Any, call: CallShape) -> list[int] | None:
    """As `sizes_of_space` where `resize_by_index` is true, else None."""
    return sizes_of_space(value, call) if resize_by_index(value, call) else None


def placed_sizes(value: Any, call: CallShape) -> list[Any] | None:
    """For a function that computes the places of elements itself, the sizes to which it resizes a tensor: `[8, 10]` for
    scales of 2 and `(2, 3, 4, 5)`. None where they follow from `placed_scales` when the model runs."""
    asked = call.values["output_size"]
    if asked is not None:
        return list(asked)
    after = [item.after for item in _dimensions(call)]
    return after if None not in after else None


def placed_scales(value: Any, call: CallShape) -> list[float] | None:
    """The scales, as floats that are not below them, where `placed_sizes` gives no sizes; else None."""
    if placed_sizes(value, call) is not None:
        return None
    return [_scale(item) for item in _dimensions(call)]


def placed_steps(value: Any, call: CallShape) -> list[float] | None:
    """How far apart the elements that are computed lie in the tensor, for each dimension: 0.5 for a scale of 2. None
    without scales, and where the corners are aligned: the sizes say it there. Refused where a dimension has neither a
    scale nor known sizes."""
    return None if call.values.get("align_corners", False) else _steps(_dimensions(call))


def _resized(call: CallShape) -> list[_Resized]:
    """The dimensions after batch and channels, as Resize has to change them."""
    found = _dimensions(call)
    if len(found) == 2 and "align_corners" not in call.values:
        # Of images PyTorch copies a dimension that keeps its size, and repeats each element of one that doubles.
        return [replace(item, scale=None) if item.keeps_size or item.doubles else item for item in found]
    return found


def _dimensions(call: CallShape) -> list[_Resized]:
    """The dimensions after batch and channels."""
    count = call.rank - 2
    before = (call.sizes or ())[2:]
    scales = _scales(call, count)
    asked = call.values["output_size"]
    after = _floored(before, scales) if asked is None else [item if isinstance(item, int) else None for item in asked]
    if not len(after) == len(scales) == count:
        raise NoForm(f"sizes or scales are not of {count} dimensions")
    if 0 in before or 0 in after:
        raise NoForm("a dimension has no elements")
    return [_Resized(*item) for item in zip(before, after, scales, strict=True)]


def _steps(found: Sequence[_Resized]) -> list[float] | None:
    """The distance of elements in each dimension, None where no scale is given."""
    if not _uses_scales(found):
        return None
    steps: list[float] = []
    for item in found:
        if item.scale is not None:
            steps.append(1 / item.scale)
        else:
            before, after = _known_sizes(item)
            steps.append(before / after)
    return steps


def _scales(call: CallShape, count: int) -> list[float | None]:
    """The scales of the call, as one list or one argument for each dimension; None for those that are not positive,
    which PyTorch ignores."""
    given = [call.values[name] for name in _SCALES if name in call.values]
    items = given[0] if given and isinstance(given[0], list | tuple) else given
    if any(item is not None and not math.isfinite(item) for item in items):
        raise NoForm("a scale is not finite")
    scales = [item if item is not None and item > 0 else None for item in items]
    return [None] * count if all(item is None for item in scales) else scales


def _floored(sizes: Sequence[int | None], scales: Sequence[float | None]) -> list[int | None]:
    return [
        None if size is None or scale is None else int(size * scale) for size, scale in zip(sizes, scales, strict=False)
    ]


def _is_copied(found: Sequence[_Resized]) -> bool:
    """Whether Resize of onnxruntime copies, whatever the scales say: it does where no size changes."""
    return all(item.keeps_size for item in found) and any(item.scale not in (None, 1) for item in found)


def _uses_scales(found: Sequence[_Resized]) -> bool:
    return any(item.scale is not None for item in found)


def _known_sizes(item: _Resized) -> tuple[int, int]:
    """The sizes of a dimension that has no scale."""
    if item.before is None or item.after is None:
        raise NoForm("a dimension has neither a scale nor sizes that are known")
    return item.before, item.after


def _scale(item: _Resized) -> float:
    """A float near the scale that gives the known size, whether it is multiplied in single or in double precision."""
    if item.scale is not None and (item.before is None or item.after is None):
        return _float_above(item.scale)
    before, after = _known_sizes(item)
    nearest = nearest_float(after / before if item.scale is None else item.scale)
    for scale in (nearest, next_float(nearest, 1), next_float(nearest, -1)):
        if math.isfinite(scale) and int(scale * before) == after == int(nearest_float(scale * before)):
            return scale
    raise NoForm(f"the scale {item.scale} does not give the size {after}")


def _float_above(value: float) -> float:
    """The least float that is not below."""
    nearest = nearest_float(value)
    return nearest if nearest >= value else next_float(nearest, 1)


def _is_same_nearest(item: _Resized) -> bool:
    """Whether Resize is known to take the same nearest elements of a dimension as PyTorch, in whatever precision it
    computes their positions."""
    if item.before is None or item.after is None:
        return item.scale is not None and math.frexp(item.scale)[0] == 0.5  # a power of 2: nothing is rounded
    try:
        scale = item.after / item.before if item.scale is None else _scale(item)
    except NoForm:
        return False
    step = nearest_float(item.before / item.after if item.scale is None else 1 / item.scale)
    last = item.before - 1
    return all(
        min(int(nearest_float(place * step)), last)
        == min(int(nearest_float(place / nearest_float(scale))), last)
        == min(int(place / nearest_float(scale)), last)
        == min(int(place / scale), last)
        for place in range(item.after)
    )
