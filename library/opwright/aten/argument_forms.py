"""What may be done to an argument that is known when a call is made, before a function gets it as an attribute.

A spec names a form for an argument (`implements: {arguments: {padding: {form: both_ends}}}`). A form is given what the
call says, and what is known of its tensors; it gives the value that the function is given.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opwright.aten.operator_schema import Argument
from opwright.elements import ElementType


class NoForm(ValueError):
    """A value that a form does not take; it says why."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """What a form may look at: the argument, the values of all others, the sizes of the first tensor, and of any other.

    `sizes` has None for a size that is not known, and is None itself without a rank; a tensor of rank 0 that is taken
    as one of rank 1 has one size. `sizes_of` gives a tensor's own ones. `element` is the type of the first tensor.
    """

    argument: Argument
    values: Mapping[str, Any]
    sizes: tuple[int | None, ...] | None
    sizes_of: Callable[[Any], tuple[int | None, ...] | None]
    element: ElementType | None = None

    @property
    def rank(self) -> int:
        if self.sizes is None:
            raise NoForm("the rank of the first tensor is not known")
        return len(self.sizes)

    @property
    def spatial_rank(self) -> int:
        """How many dimensions a window has: what the schema says, else those behind batch and channels."""
        return self.argument.size or self.rank - 2


Form = Callable[[Any, CallShape], Any]


def _axis(value: int, rank: int) -> int:
    """Counted from the first one. A tensor of rank 0 has one, as PyTorch sees it."""
    count = max(rank, 1)
    if not -count <= value < count:
        raise NoForm(f"there is no dimension {value} among {rank}")
    return value % count


def axes(value: Any, call: CallShape) -> Any:
    """Dimensions counted from the first one; a number or a list."""
    if value is None:
        return None
    if isinstance(value, int):
        return _axis(value, call.rank)
    found = [_axis(item, call.rank) for item in value]
    if len({*found}) != len(found):
        raise NoForm("a dimension stands there twice")
    return found


def all_axes(value: Any, call: CallShape) -> Any:
    """The same, and every dimension where none is named."""
    if value is None or (not isinstance(value, int) and not value):
        return list(range(call.rank))
    return axes([value] if isinstance(value, int) else value, call)


def axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """Of the dimensions those whose size is 1, None without any. One that is not known is not 1: PyTorch's exporter
    takes it so when it traces a program."""
    sizes = call.sizes if call.rank else ()
    assert sizes is not None
    chosen = axes([value] if isinstance(value, int) else value, call)
    return [item for item in chosen if item < len(sizes) and sizes[item] == 1] or None


def all_axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """Of a tensor the dimensions whose size is 1, None without any."""
    return axes_of_one(list(range(call.rank)), call)


def listed(value: Any, call: CallShape) -> list[Any]:
    """A number as a list of one."""
    return [value]


def order(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions in the order in which `dim0` and `dim1` have changed places; None where that is their own."""
    first, second = axes([call.values["dim0"]], call)[0], axes([call.values["dim1"]], call)[0]
    places = list(range(call.rank))
    if first == second:
        return None
    places[first], places[second] = second, first
    return places


def moved_order(value: Any, call: CallShape) -> list[int]:
    """All dimensions in the order in which those of `source` are at the places of `destination`."""
    source, destination = axes(call.values["source"], call), axes(call.values["destination"], call)
    others = (item for item in range(call.rank) if item not in source)
    target = dict(zip(destination, source, strict=True))
    return [target[place] if place in target else next(others) for place in range(call.rank)]


def kept_sizes(value: Any, call: CallShape) -> list[Any]:
    """Sizes to which a tensor is expanded: -1, which keeps its own, as 1."""
    return [1 if isinstance(item, int) and item == -1 else item for item in value]


def repetitions(value: Any, call: CallShape) -> list[Any]:
    """How often each dimension is repeated: the first ones, of which nothing is said, once."""
    return [1] * (call.rank - len(value)) + list(value)


def new_axes(value: Any, call: CallShape) -> list[int] | None:
    """The dimensions that a list has more than the tensor, in front; None without any."""
    return list(range(len(value) - call.rank)) or None


def spatial(value: Any, call: CallShape) -> list[int]:
    """A number for each dimension of a window, where one may stand for all."""
    return _repeated(value, call.spatial_rank)


def both_ends(value: Any, call: CallShape) -> list[int]:
    """The same, at the beginning and at the end of each dimension."""
    return _repeated(value, call.spatial_rank) * 2


def stride(value: Any, call: CallShape) -> list[int]:
    """As `spatial`, and the size of the window where there is none."""
    return spatial(value if value else call.values["kernel_size"], call)


def padding(value: Any, call: CallShape) -> list[Any]:
    """Pairs from the last dimension on, as ONNX's Pad has them: all beginnings, then all ends."""
    rank, pairs = call.rank, len(value) // 2
    if len(value) % 2 or pairs > rank:
        raise NoForm(f"{len(value)} numbers do not pad {rank} dimensions")
    none = [0] * (rank - pairs)
    return [*none, *reversed(value[0::2]), *none, *reversed(value[1::2])]


def start(value: Any, call: CallShape) -> list[Any]:
    """A list of one: the first element where there is no number."""
    return [0 if value is None else value]


def end(value: Any, call: CallShape) -> list[Any]:
    """A list of one: behind the last element where there is no number."""
    return [(1 << 63) - 1 if value is None else value]


def start_from_front(value: Any, call: CallShape) -> list[Any]:
    """A list of one: an element of the dimension `dim`, counted from the first."""
    if not isinstance(value, int) or value >= 0:
        return [value]
    size = call.sizes[_axis(call.values["dim"], call.rank)] if call.sizes is not None else None
    if size is None:
        raise NoForm(f"it is {value}, counted from the end of a dimension whose size is not known")
    return [value + size]


def non_empty(value: Any, call: CallShape) -> list[Any]:
    """Tensors without those of size 0 and rank 1, which PyTorch passes over beside others of any rank."""
    kept = [item for item in value if call.sizes_of(item) != (0,)]
    return kept or [value[0]]


def no_number(value: Any, call: CallShape) -> Any:
    """Nothing, where the value is the schema's own default."""
    return None if value == call.argument.default else value


def below_one(value: Any, call: CallShape) -> Any:
    """Nothing, where the value is 1: of the share of elements that are dropped."""
    return None if value == 1 else value


def unless_false(value: Any, call: CallShape) -> bool:
    """True where there is no value."""
    return value is not False


def number_of_dtype(value: Any, call: CallShape) -> Any:
    """A number as one of the element type `dtype`: of integers without its fraction."""
    dtype = call.values["dtype"]
    return int(value) if dtype is not None and dtype.is_integer and _is_finite(value) else value


def end_of_dtype(value: Any, call: CallShape) -> Any:
    """The end of a range as `number_of_dtype`, moved where PyTorch gives more elements: of integers it is int64 alone
    whose range is counted in that type."""
    dtype, start, step = call.values["dtype"], call.values.get("start", 0), call.values.get("step", 1)
    is_counted = dtype is not None and dtype.is_integer and dtype.name != "int64" and step != 0
    if not is_counted or not all(map(_is_finite, (start, value, step))):
        return number_of_dtype(value, call)
    if not int(step):
        raise NoForm(f"`step` is {step}, which is 0 in {dtype}")
    return int(start) + math.ceil((value - start) / step) * int(step)


def first_of_last_axes(value: Any, call: CallShape) -> int:
    """Of the last dimensions, of which a list has the sizes, the first one, counted from the end."""
    if not value:
        raise NoForm("it names no dimension")
    return -len(value)


def row(value: Any, call: CallShape) -> int | None:
    """An index of the first dimension, counted from its beginning; None where there is none."""
    if value is None or value >= 0:
        return value
    if call.sizes is None or call.sizes[0] is None:
        raise NoForm(f"it is {value}, counted from the end of a dimension whose size is not known")
    return int(value + call.sizes[0])


def other_axes(value: Any, call: CallShape) -> list[int]:
    """All dimensions but one."""
    kept = _axis(value, call.rank)
    return [item for item in range(call.rank) if item != kept]


def may_broadcast(value: Any, call: CallShape) -> bool:
    """Whether the tensors are not known to have the same sizes."""
    found = [sizes for sizes in map(call.sizes_of, call.values.values()) if sizes is not None]
    return any(None in sizes or sizes != found[0] for sizes in found)


def group_sizes(value: Any, call: CallShape) -> list[int]:
    """The batch, groups of channels, and how many elements each one has, as ONNX's Reshape takes sizes: 0 for that of
    the tensor, -1 for one that is not known."""
    sizes = [*(call.sizes or ())][1:]
    known = [item for item in sizes if item is not None]
    return [0, value, math.prod(known) // value if known and len(known) == len(sizes) else -1]


def last_axes(value: Any, call: CallShape) -> list[int]:
    """The last dimensions, of which a list has the sizes, counted from the first one."""
    if not value or len(value) > call.rank:
        raise NoForm(f"it names {len(value)} of {call.rank} dimensions")
    return list(range(call.rank - len(value), call.rank))


def axes_of_channels(value: Any, call: CallShape) -> list[int]:
    """All dimensions but that of channels, the second one."""
    if call.rank < 2:
        raise NoForm("the tensor has no channels")
    return [0, *range(2, call.rank)]


def axes_of_space(value: Any, call: CallShape) -> list[int]:
    """The dimensions behind batch and channels; the third where there are none."""
    return list(range(2, max(call.rank, 3)))


def channel_sizes(value: Any, call: CallShape) -> list[int]:
    """Sizes in which a vector stands beside the tensor for its channels: 1 for each other dimension. Without a batch
    the first dimension is theirs."""
    return [-1] if call.rank == 1 else [1, -1, *[1] * (call.rank - 2)]


def is_empty(value: Any, call: CallShape) -> bool:
    """Whether the first tensor is known to have no elements."""
    return call.sizes is not None and 0 in call.sizes


def in_double(value: Any, call: CallShape) -> Any:
    """A number where the first tensor is of double, else nothing: an attribute holds it as a float."""
    return value if call.element is not None and call.element.name == "double" else None


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def window_padding(value: Any, call: CallShape) -> list[int]:
    """What `same` and `valid` say of the filters `weight`, at the beginning and at the end of each dimension."""
    if value == "valid":
        sizes = call.sizes_of(call.values["weight"])
        if sizes is None:
            raise NoForm("the rank of the filters is not known")
        return [0] * (2 * (len(sizes) - 2))
    if value != "same":
        raise NoForm(f"it is {value!r}, and neither 'same' nor 'valid'")
    kernel = [*(call.sizes_of(call.values["weight"]) or ())][2:]
    known = [item for item in kernel if item is not None]
    if not known or len(known) != len(kernel):
        raise NoForm("it is 'same', and the size of the filters is not known")
    if any(item != 1 for item in _repeated(call.values["stride"], len(known))):
        raise NoForm("it is 'same', and the stride is not 1")
    dilation = _repeated(call.values["dilation"], len(known))
    total = [apart * (size - 1) for apart, size in zip(dilation, known, strict=True)]
    return [*(item // 2 for item in total), *(item - item // 2 for item in total)]


def pool_pads(value: Any, call: CallShape) -> list[int]:
    """The padding of windows, at the beginnings and at the ends, where `ceil_mode` adds what the last windows reach
    beyond it; without the zeros that `pool_zeros` adds."""
    beyond = _beyond(call)
    begins = [0] * len(beyond) if _has_zeros(call) else _repeated(value, len(beyond))
    return [*begins, *(item + more for item, more in zip(begins, beyond, strict=True))]


def pool_zeros(value: Any, call: CallShape) -> list[int] | None:
    """The padding of averages as ONNX's Pad has it, where padding counts and what is beyond it does not; else None."""
    if not _has_zeros(call):
        return None
    items = _repeated(value, call.spatial_rank)
    none = [0] * (call.rank - len(items))
    return [*none, *items, *none, *items]


def pool_counts(value: Any, call: CallShape) -> bool:
    """Whether averages count all padding that they are given."""
    if call.values.get("divisor_override") is not None:
        return True
    return bool(call.values["count_include_pad"]) and not any(_beyond(call))


def window_elements(value: Any, call: CallShape) -> int:
    """How many elements a window has."""
    return math.prod(_repeated(value, call.spatial_rank))


def _has_zeros(call: CallShape) -> bool:
    counts = call.values.get("count_include_pad") and call.values.get("divisor_override") is None
    return bool(counts) and any(_repeated(call.values["padding"], call.spatial_rank)) and any(_beyond(call))


def _beyond(call: CallShape) -> list[int]:
    """How far the last window of each dimension reaches beyond the padding. With `ceil_mode` there is one more that
    does, unless it begins behind the input. Of a size that is not known it is as far as any could."""
    count = call.spatial_rank
    if not call.values["ceil_mode"]:
        return [0] * count
    sizes = [None] * count if call.sizes is None else call.sizes[-count:]
    kernel = _repeated(call.values["kernel_size"], count)
    return [
        _reach(size, apart * (window - 1) + 1, step, pad)
        for size, window, step, pad, apart in zip(
            sizes,
            kernel,
            _repeated(call.values["stride"] or kernel, count),
            _repeated(call.values["padding"], count),
            _repeated(call.values.get("dilation", 1), count),
            strict=True,
        )
    ]


def _reach(size: int | None, window: int, step: int, pad: int) -> int:
    if size is None:
        if pad + step > window:
            raise NoForm("whether there is a last window with `ceil_mode` depends on a size that is not known")
        return step - 1
    room = size + 2 * pad
    last = -((window - room) // step) * step
    if last >= size + pad:
        last -= step
    return max(last + window - room, 0)


def _repeated(value: Any, count: int) -> list[int]:
    items: Sequence[int] = [value] if isinstance(value, int) else list(value)
    if len(items) == 1:
        items = [*items] * count
    if len(items) != count:
        raise NoForm(f"there are {len(items)} numbers for {count} dimensions")
    return list(items)


@dataclass(frozen=True, slots=True)
class _Resized:
    """One dimension that is resized: its sizes, None where they are not known, and the scale, None without any."""

    before: int | None
    after: int | None
    scale: float | None


_SCALES = ("scale_factors", "scales", "scales_d", "scales_h", "scales_w")


def _resized(call: CallShape) -> list[_Resized]:
    """The dimensions behind batch and channels."""
    count = call.rank - 2
    before = [*(call.sizes or ())][2:]
    given = [call.values[name] for name in _SCALES if name in call.values]
    scales: Sequence[Any] = given[0] if given and isinstance(given[0], list | tuple) else given
    scales = [item if item is not None and item > 0 else None for item in scales] or [None] * count
    if all(item is None for item in scales):
        scales = [None] * count
    asked = call.values["output_size"]
    after = _floored(before, scales) if asked is None else [item if isinstance(item, int) else None for item in asked]
    if not len(after) == len(scales) == count:
        raise NoForm(f"sizes or scales are not of {count} dimensions")
    return [_Resized(*item) for item in zip(before, after, scales, strict=True)]


def _floored(sizes: Sequence[int | None], scales: Sequence[float | None]) -> list[int | None]:
    return [
        None if size is None or scale is None else int(size * scale) for size, scale in zip(sizes, scales, strict=False)
    ]


def _keeps_all(call: CallShape, found: Sequence[_Resized]) -> bool:
    """Whether PyTorch copies: of two dimensions that keep their sizes, whatever the scales are."""
    known = all(item.before is not None and item.before == item.after for item in found)
    return known and len(found) == 2 and "align_corners" not in call.values


def resize_sizes(value: Any, call: CallShape) -> list[Any] | None:
    """The sizes to which a tensor is resized, as they are given or follow from scales; None where scales say it."""
    found = _resized(call)
    by_sizes = call.values.get("align_corners", False) or resize_by_index(value, call) or not _uses_scales(call, found)
    if not by_sizes:
        return None
    if call.values["output_size"] is not None:
        return list(call.values["output_size"])
    return [item.after for item in found] if all(item.after is not None for item in found) else None


def resize_scales(value: Any, call: CallShape) -> list[float] | None:
    """How many times as large dimensions become, as floats by which ONNX's Resize comes to PyTorch's sizes; None where
    sizes say it."""
    if resize_sizes(value, call) is not None:
        return None
    return [_scale(item) for item in _resized(call)]


def linear_scales(value: Any, call: CallShape) -> list[float] | None:
    """As `resize_scales`, and 1 for a dimension that keeps its size: PyTorch interpolates nothing there."""
    if resize_sizes(value, call) is not None:
        return None
    return [1.0 if item.before is not None and item.before == item.after else _scale(item) for item in _resized(call)]


def resize_by_index(value: Any, call: CallShape) -> bool:
    """Whether ONNX's Resize takes other elements than PyTorch does as the nearest ones, or has no kernel for them."""
    if "align_corners" in call.values:
        return False
    found = _resized(call)
    if call.element is not None and call.element.name == "double":
        return True
    return not _keeps_all(call, found) and not all(map(_is_same_nearest, found))


def resize_steps(value: Any, call: CallShape) -> list[float] | None:
    """How far apart the nearest elements are, where they are taken by their indices and scales say it; else None."""
    found = _resized(call)
    if not resize_by_index(value, call) or not _uses_scales(call, found):
        return None
    steps: list[float] = []
    for item in found:
        if item.scale is not None:
            steps.append(1 / item.scale)
        elif item.before is None or item.after is None:
            raise NoForm("a dimension has neither a scale nor sizes that are known")
        else:
            steps.append(item.before / item.after)
    return steps


def _uses_scales(call: CallShape, found: Sequence[_Resized]) -> bool:
    return any(item.scale is not None for item in found) and not _keeps_all(call, found)


def _scale(item: _Resized) -> float:
    """A float near the scale that gives the known size, whether it is multiplied in single or in double precision."""
    if item.scale is None:
        if item.before is None or item.after is None:
            raise NoForm("a dimension has neither a scale nor sizes that are known")
        nearest = _single(item.after / item.before)
    else:
        nearest = _single(item.scale)
    if item.before is None or item.after is None:
        return nearest if item.scale is None else _float_above(item.scale)
    for scale in (nearest, _next_single(nearest, 1), _next_single(nearest, -1)):
        if int(scale * item.before) == int(_single(scale * item.before)) == item.after:
            return scale
    raise NoForm(f"the scale {item.scale} does not give the size {item.after}")


def _is_same_nearest(item: _Resized) -> bool:
    if item.before is None or item.after is None:
        return item.scale is not None and math.frexp(item.scale)[0] == 0.5  # a power of 2: nothing is rounded
    try:
        scale = item.after / item.before if item.scale is None else _scale(item)
    except NoForm:
        return False
    step = _single(item.before / item.after if item.scale is None else 1 / item.scale)
    last = item.before - 1
    return all(
        min(int(_single(place * step)), last)
        == min(int(_single(place / _single(scale))), last)
        == min(int(place / scale), last)
        for place in range(item.after)
    )


def _single(value: float) -> float:
    """The nearest float of single precision."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def _next_single(value: float, by: int) -> float:
    """The float of single precision after a positive one, or before it."""
    bits = struct.unpack("<i", struct.pack("<f", value))[0]
    return float(struct.unpack("<f", struct.pack("<i", bits + by))[0])


def _float_above(value: float | None) -> float:
    """The least float of single precision that is not below."""
    if value is None:
        raise NoForm("a dimension has neither a scale nor a size")
    nearest = _single(value)
    return nearest if nearest >= value else _next_single(nearest, 1)


FORMS: Mapping[str, Form] = {
    form.__name__: form
    for form in (
        axes,
        all_axes,
        axes_of_one,
        all_axes_of_one,
        listed,
        order,
        moved_order,
        kept_sizes,
        repetitions,
        new_axes,
        spatial,
        both_ends,
        stride,
        padding,
        start,
        end,
        start_from_front,
        non_empty,
        no_number,
        below_one,
        unless_false,
        number_of_dtype,
        end_of_dtype,
        window_padding,
        pool_pads,
        pool_zeros,
        pool_counts,
        window_elements,
        first_of_last_axes,
        row,
        resize_sizes,
        resize_scales,
        linear_scales,
        resize_by_index,
        resize_steps,
        other_axes,
        may_broadcast,
        group_sizes,
        last_axes,
        axes_of_channels,
        axes_of_space,
        channel_sizes,
        is_empty,
        in_double,
    )
}
