"""Windows of convolutions and pools: a number for each spatial dimension, and their padding.

ONNX takes padding as all beginnings, then all ends: `[top, left, bottom, right]`. Sizes, strides and padding are in
elements.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.list_items import numbers, paired, repeated
from opwright.aten.tensor_facts import Sizes


def spatial(value: Any, call: CallShape) -> list[int]:
    """A number for each spatial dimension: one number stands for all. `3` gives `[3, 3]` for images. A list of another
    length is refused."""
    return repeated(value, call.spatial_rank)


def both_ends(value: Any, call: CallShape) -> list[int]:
    """As `spatial`, twice, for the beginnings and for the ends of the dimensions: `[1, 2]` gives `[1, 2, 1, 2]`."""
    return repeated(value, call.spatial_rank) * 2


def stride(value: Any, call: CallShape) -> list[int]:
    """As `spatial`; for None and an empty list the argument `kernel_size`."""
    return spatial(value if value else call.values["kernel_size"], call)


def all_ones(value: Any, call: CallShape) -> bool:
    """Whether the number, or each number of a list, is 1; false for one that the graph computes."""
    return all(isinstance(item, int) and item == 1 for item in numbers(value, call))


def window_elements(value: Any, call: CallShape) -> int:
    """The number of elements of a window of the given size: 9 for `3` and images."""
    return math.prod(spatial(value, call))


def window_padding(value: Any, call: CallShape) -> list[int]:
    """The padding that `valid` or `same` stands for, by the sizes of the filters `weight`: zeros, or as much as keeps
    the sizes, the odd element at the end. `same` is refused with a stride other than 1 and with filters of unknown
    size."""
    sizes = call.sizes_of(call.values["weight"])
    if value == "valid":
        if sizes is None:
            raise NoForm("the rank of the filters is not known")
        return [0] * (2 * (len(sizes) - 2))
    if value != "same":
        raise NoForm(f"it is {value!r}, and neither 'same' nor 'valid'")
    kernel = (sizes or ())[2:]
    known = [item for item in kernel if item is not None]
    if not known or len(known) != len(kernel):
        raise NoForm("it is 'same', and the size of the filters is not known")
    if any(item != 1 for item in repeated(call.values["stride"], len(known))):
        raise NoForm("it is 'same', and the stride is not 1")
    dilation = repeated(call.values["dilation"], len(known))
    total = [apart * (size - 1) for apart, size in zip(dilation, known, strict=True)]
    return [*(item // 2 for item in total), *(item - item // 2 for item in total)]


def pool_pads(value: Any, call: CallShape) -> list[int]:
    """The padding of a pool for each beginning and each end, where `ceil_mode` adds to the ends what the last windows
    need; without the padding that `pool_zeros` gives. Refused where what `ceil_mode` adds depends on an unknown size,
    or makes the padding as large as a window, which onnxruntime does not run."""
    beyond = _beyond(call)
    begins = [0] * len(beyond) if _has_zeros(call) else repeated(value, len(beyond))
    ends = [item + more for item, more in zip(begins, beyond, strict=True)]
    kernel = repeated(call.values["kernel_size"], len(ends))
    if any(more and end >= size for more, end, size in zip(beyond, ends, kernel, strict=True)):
        raise NoForm("`ceil_mode` needs as much padding as a window has elements, since these lie apart")
    return [*begins, *ends]


def pool_zeros(value: Any, call: CallShape) -> list[int] | None:
    """The padding of an average pool for ONNX's Pad, all dimensions, where averages count it but not what `ceil_mode`
    adds; else None, and `pool_pads` has it."""
    if not _has_zeros(call):
        return None
    items = repeated(value, call.spatial_rank)
    none = [0] * (call.rank - len(items))
    return [*none, *items, *none, *items]


def pool_counts(value: Any, call: CallShape) -> bool:
    """Whether averages count the padding that `pool_pads` gives: with a `divisor_override`, and with
    `count_include_pad` where `ceil_mode` adds nothing."""
    if call.values.get("divisor_override") is not None:
        return True
    return bool(call.values["count_include_pad"]) and not any(_beyond(call))


def _has_zeros(call: CallShape) -> bool:
    """Whether `pool_zeros` gives the padding."""
    counts = call.values.get("count_include_pad") and call.values.get("divisor_override") is None
    return bool(counts) and any(repeated(call.values["padding"], call.spatial_rank)) and any(_beyond(call))


def _beyond(call: CallShape) -> list[int]:
    """How far the last window of each dimension extends beyond the padding: with `ceil_mode` there may be one more
    window, unless it starts beyond the input. For an unknown size it is the largest possible extent."""
    count = call.spatial_rank
    if not call.values["ceil_mode"]:
        return [0] * count
    kernel = repeated(call.values["kernel_size"], count)
    return [
        _reach(size, apart * (window - 1) + 1, step, pad)
        for size, window, step, pad, apart in zip(
            _last_sizes(call, count),
            kernel,
            repeated(call.values["stride"] or kernel, count),
            repeated(call.values["padding"], count),
            repeated(call.values.get("dilation", 1), count),
            strict=True,
        )
    ]


def _reach(size: int | None, window: int, step: int, pad: int) -> int:
    if step < 1:
        raise NoForm(f"the stride is {step}")
    if window <= pad + 1:  # one more window would always start beyond the input
        return 0
    if size is None:
        if pad + step > window:
            raise NoForm("whether there is a last window with `ceil_mode` depends on a size that is not known")
        return step - 1
    room = size + 2 * pad
    last = -((window - room) // step) * step
    if last >= size + pad:
        last -= step
    return max(last + window - room, 0)


def adaptive_kernel(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of the windows of an adaptive pool to the given number of windows in each dimension: `[2]` for 4
    windows of 8 elements. None if they, or the strides, vary within a dimension, or a size or number is not known."""
    windows = _adaptive_windows(value, call)
    return None if windows is None else [size for size, _ in windows]


def adaptive_stride(value: Any, call: CallShape) -> list[int] | None:
    """The strides of the windows of an adaptive pool; None as for `adaptive_kernel`."""
    windows = _adaptive_windows(value, call)
    return None if windows is None else [step for _, step in windows]


def _adaptive_windows(value: Any, call: CallShape) -> list[tuple[int, int]] | None:
    """The size and stride of the windows of each dimension; None if they vary within one or are not known."""
    outputs = numbers(value, call)
    found = []
    for size, output in paired(_last_sizes(call, len(outputs)), outputs):
        if size is None or not isinstance(output, int) or not 0 < output <= max(size, 1):
            return None
        begins = [place * size // output for place in range(output)]
        lengths = {-(-(place + 1) * size // output) - begin for place, begin in enumerate(begins)}
        steps = {after - begin for begin, after in pairwise(begins)} or {1}
        if len(lengths) > 1 or len(steps) > 1:
            return None
        found.append((lengths.pop(), steps.pop()))
    return found


def _last_sizes(call: CallShape, count: int) -> Sizes:
    """The sizes of the last dimensions of the first tensor, None for each where its rank is not known."""
    if call.sizes is None:
        return (None,) * count
    if len(call.sizes) < count:
        raise NoForm(f"the first tensor has {len(call.sizes)} dimensions, and windows {count}")
    return call.sizes[len(call.sizes) - count :]
