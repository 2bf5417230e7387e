"""Forms: conversions of a call's arguments to what a function takes.

A spec names a form for an argument (`implements: {arguments: {padding: {form: both_ends}}}`). A form gets the value of
the argument and what is known of the call; it returns the value that the function gets.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opwright.aten.operator_schema import Argument
from opwright.elements import ElementType


class NoForm(ValueError):
    """A value that a form does not accept, with the reason."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """What a form knows of the call: the argument, the values of all arguments, and the shape of the first tensor.

    `sizes` has None for an unknown size, and is None itself if the rank is unknown; a tensor of rank 0 that is lifted
    to rank 1 has one size. `sizes_of` gives the shape of any tensor, `element_of` its element type, and `is_complex`
    tells whether it is complex.
    """

    argument: Argument
    values: Mapping[str, Any]
    sizes: tuple[int | None, ...] | None
    sizes_of: Callable[[Any], tuple[int | None, ...] | None]
    element_of: Callable[[Any], ElementType | None] = lambda tensor: None
    is_complex: Callable[[Any], bool] = lambda tensor: False

    @property
    def rank(self) -> int:
        if self.sizes is None:
            raise NoForm("the rank of the first tensor is not known")
        return len(self.sizes)

    @property
    def spatial_rank(self) -> int:
        """The number of spatial dimensions: as the schema says, else all but batch and channels."""
        return self.argument.size or self.rank - 2


Form = Callable[[Any, CallShape], Any]


def _axis(value: int, rank: int) -> int:
    """The dimension as a non-negative number. In PyTorch a tensor of rank 0 has one dimension here."""
    count = max(rank, 1)
    if not -count <= value < count:
        raise NoForm(f"there is no dimension {value} among {rank}")
    return value % count


def axes(value: Any, call: CallShape) -> Any:
    """Dimensions as non-negative numbers; a number or a list."""
    if value is None:
        return None
    if isinstance(value, int):
        return _axis(value, call.rank)
    found = [_axis(item, call.rank) for item in value]
    if len({*found}) != len(found):
        raise NoForm("a dimension stands there twice")
    return found


def all_axes(value: Any, call: CallShape) -> Any:
    """As `axes`; all dimensions if none is given."""
    if value is None or (not isinstance(value, int) and not value):
        return list(range(call.rank))
    return axes([value] if isinstance(value, int) else value, call)


def axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """Those of the dimensions whose size is 1; None if there are none. An unknown size counts as other than 1, as in
    PyTorch's exporter."""
    sizes = call.sizes if call.rank else ()
    assert sizes is not None
    chosen = axes([value] if isinstance(value, int) else value, call)
    return [item for item in chosen if item < len(sizes) and sizes[item] == 1] or None


def all_axes_of_one(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions of the tensor whose size is 1; None if there are none."""
    return axes_of_one(list(range(call.rank)), call)


def listed(value: Any, call: CallShape) -> list[Any]:
    """The number as a list of one."""
    return [value]


def order(value: Any, call: CallShape) -> list[int] | None:
    """The permutation that swaps `dim0` and `dim1`; None if it is the identity."""
    first, second = axes([call.values["dim0"]], call)[0], axes([call.values["dim1"]], call)[0]
    places = list(range(call.rank))
    if first == second:
        return None
    places[first], places[second] = second, first
    return places


def moved_order(value: Any, call: CallShape) -> list[int]:
    """The permutation that moves the dimensions `source` to the positions `destination`."""
    source, destination = axes(call.values["source"], call), axes(call.values["destination"], call)
    others = (item for item in range(call.rank) if item not in source)
    target = dict(zip(destination, source, strict=True))
    return [target[place] if place in target else next(others) for place in range(call.rank)]


def kept_sizes(value: Any, call: CallShape) -> list[Any]:
    """The shape to expand to, with 1 for -1, which keeps the size of a dimension."""
    return [1 if isinstance(item, int) and item == -1 else item for item in value]


def repetitions(value: Any, call: CallShape) -> list[Any]:
    """The number of repetitions of each dimension; 1 for leading dimensions that the list does not cover."""
    return [1] * (call.rank - len(value)) + list(value)


def new_axes(value: Any, call: CallShape) -> list[int] | None:
    """The leading dimensions by which the list is longer than the tensor's shape; None if there are none."""
    return list(range(len(value) - call.rank)) or None


def spatial(value: Any, call: CallShape) -> list[int]:
    """A number for each spatial dimension; a single number is repeated."""
    return _repeated(value, call.spatial_rank)


def both_ends(value: Any, call: CallShape) -> list[int]:
    """As `spatial`, for the beginnings and then for the ends of the dimensions."""
    return _repeated(value, call.spatial_rank) * 2


def stride(value: Any, call: CallShape) -> list[int]:
    """As `spatial`; `kernel_size` if no stride is given."""
    return spatial(value if value else call.values["kernel_size"], call)


def padding(value: Any, call: CallShape) -> list[Any]:
    """The padding in the order of ONNX's Pad: all beginnings, then all ends; from pairs for the last dimensions."""
    rank, pairs = call.rank, len(value) // 2
    if len(value) % 2 or pairs > rank:
        raise NoForm(f"{len(value)} numbers do not pad {rank} dimensions")
    none = [0] * (rank - pairs)
    return [*none, *reversed(value[0::2]), *none, *reversed(value[1::2])]


def start(value: Any, call: CallShape) -> list[Any]:
    """The start of a slice as a list of one; 0 if there is none."""
    return [0 if value is None else value]


def end(value: Any, call: CallShape) -> list[Any]:
    """The end of a slice as a list of one; the largest int64 if there is none."""
    return [(1 << 63) - 1 if value is None else value]


def start_from_front(value: Any, call: CallShape) -> list[Any]:
    """An index of the dimension `dim` as a list of one, non-negative."""
    if not isinstance(value, int) or value >= 0:
        return [value]
    size = call.sizes[_axis(call.values["dim"], call.rank)] if call.sizes is not None else None
    if size is None:
        raise NoForm(f"it is {value}, counted from the end of a dimension whose size is not known")
    return [value + size]


def non_empty(value: Any, call: CallShape) -> list[Any]:
    """The tensors without empty ones of rank 1, which PyTorch ignores."""
    kept = [item for item in value if call.sizes_of(item) != (0,)]
    return kept or [value[0]]


def no_number(value: Any, call: CallShape) -> Any:
    """None if the value is the default of the schema."""
    return None if value == call.argument.default else value


def is_zero(value: Any, call: CallShape) -> bool:
    """Whether the value is 0: a factor that drops its term."""
    return bool(value == 0)


def factor(value: Any, call: CallShape) -> Any:
    """A factor in the element type of `self`; for integers it is truncated and wraps around."""
    element = call.element_of(call.values["self"])
    if element is not None and element.kind == "bool":
        return value != 0
    if element is None or not element.is_integer or not _is_finite(value):
        return value
    low, count = int(element.minimum), 1 << element.bits
    return (int(value) - low) % count + low


def factor_of_gemm(value: Any, call: CallShape) -> float | None:
    """A factor as an attribute of Gemm, of type float; None if `factor_beside_gemm` gives one."""
    return value if _is_of_gemm(call) else None


def factor_beside_gemm(value: Any, call: CallShape) -> Any:
    """As `factor`, where the attributes `alpha` and `beta` of Gemm cannot be used: for integers, for values of double
    that float does not represent, and for sums that may be empty. Else None."""
    return None if _is_of_gemm(call) else factor(value, call)


def _is_of_gemm(call: CallShape) -> bool:
    element, sizes = call.element_of(call.values["self"]), call.sizes_of(call.values["mat1"])
    factors = (call.values["alpha"], call.values["beta"])
    if element is None or element.is_integer or not all(map(_is_finite, factors)):
        return False
    if factors[1] not in (0, 1) and (sizes is None or not sizes[-1]):
        return False
    return element.name != "double" or all(item == _as_single(item) for item in factors)


def _as_single(value: float) -> float:
    try:
        found: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.inf
    return found


def below_one(value: Any, call: CallShape) -> Any:
    """None if the value, the probability of a dropout, is 1."""
    return None if value == 1 else value


def unless_false(value: Any, call: CallShape) -> bool:
    """True if there is no value."""
    return value is not False


def number_of_dtype(value: Any, call: CallShape) -> Any:
    """The number in the element type `dtype`; for integers it is truncated."""
    dtype = call.values["dtype"]
    return int(value) if dtype is not None and dtype.is_integer and _is_finite(value) else value


def end_of_dtype(value: Any, call: CallShape) -> Any:
    """The end of a range as `number_of_dtype`, moved where PyTorch gives more elements: for integer types other than
    int64 it computes their number before it truncates."""
    dtype, start, step = call.values["dtype"], call.values.get("start", 0), call.values.get("step", 1)
    is_counted = dtype is not None and dtype.is_integer and dtype.name != "int64" and step != 0
    if not is_counted or not all(map(_is_finite, (start, value, step))):
        return number_of_dtype(value, call)
    if not int(step):
        raise NoForm(f"`step` is {step}, which is 0 in {dtype}")
    return int(start) + math.ceil((value - start) / step) * int(step)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def not_nan(value: Any, call: CallShape) -> Any:
    """The number unchanged. NaN is refused: runtimes differ in comparisons with it."""
    if isinstance(value, float) and math.isnan(value):
        raise NoForm("it is nan")
    return value


def root(value: Any, call: CallShape) -> str | None:
    """`sqrt` for the exponent 0.5, `rsqrt` for -0.5, else None. PyTorch computes roots there, which are NaN for -inf,
    and powers are not."""
    return None if value not in (0.5, -0.5) else "sqrt" if value > 0 else "rsqrt"


def no_root(value: Any, call: CallShape) -> Any:
    """The exponent; None if `root` gives it."""
    return None if root(value, call) else value


def window_padding(value: Any, call: CallShape) -> list[int]:
    """The padding for `same` or `valid` with the kernel `weight`: all beginnings, then all ends."""
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
    """The padding of a pool: all beginnings, then all ends, which `ceil_mode` extends to the ends of the last windows.
    Without the padding that `pool_zeros` gives."""
    beyond = _beyond(call)
    begins = [0] * len(beyond) if _has_zeros(call) else _repeated(value, len(beyond))
    return [*begins, *(item + more for item, more in zip(begins, beyond, strict=True))]


def pool_zeros(value: Any, call: CallShape) -> list[int] | None:
    """The explicit padding of an average pool in the order of ONNX's Pad, needed if averages include the padding but
    not what `ceil_mode` adds; else None."""
    if not _has_zeros(call):
        return None
    items = _repeated(value, call.spatial_rank)
    none = [0] * (call.rank - len(items))
    return [*none, *items, *none, *items]


def pool_counts(value: Any, call: CallShape) -> bool:
    """Whether averages include the padding that `pool_pads` gives."""
    if call.values.get("divisor_override") is not None:
        return True
    return bool(call.values["count_include_pad"]) and not any(_beyond(call))


def window_elements(value: Any, call: CallShape) -> int:
    """The number of elements of a window."""
    return math.prod(_repeated(value, call.spatial_rank))


def quantized_limit(value: Any, call: CallShape) -> Any:
    """A limit of quantized values, `quant_min` or `quant_max`; None if both are those of `dtype`, an 8-bit type."""
    dtype, values = call.values["dtype"], call.values
    is_whole = (values["quant_min"], values["quant_max"]) == (dtype.minimum, dtype.maximum)
    return None if is_whole and dtype.bits == 8 else value


def group_of_last(value: Any, call: CallShape) -> int:
    """The size of groups along the last dimension, at most the size of that dimension."""
    size = None if call.sizes is None else call.sizes[-1]
    return int(value) if size is None else min(int(value), size)


def trailing_axes(value: Any, call: CallShape) -> list[int]:
    """The axes that align a vector with the given dimension: one for each dimension behind it."""
    return list(range(1, call.rank - _axis(value, call.rank)))


def trailing_axes_from_front(value: Any, call: CallShape) -> list[int]:
    """As `trailing_axes`; a negative dimension is refused, which some operators do not count from the last one."""
    if value < 0:
        raise NoForm(f"the dimension {value} is negative")
    return trailing_axes(value, call)


def edge_padding(value: Any, call: CallShape) -> list[Any]:
    """As `padding`; refused if all elements of a dimension are removed, so that there is no edge to repeat."""
    sizes = [*reversed(call.sizes or ())]
    for begin, end, size in zip(value[0::2], value[1::2], sizes, strict=False):
        removed = [-item for item in (begin, end) if isinstance(item, int) and item < 0]
        if size is not None and removed and sum(removed) >= size:
            raise NoForm(f"it removes all {size} elements of a dimension")
    return padding(value, call)


def padding_of_mode(value: Any, call: CallShape) -> list[Any]:
    """As `padding`, or as `edge_padding` if `mode` is `replicate`; negative numbers are refused if it is `circular`,
    where PyTorch repeats elements that they remove."""
    mode = call.values["mode"]
    if mode == "circular" and any(isinstance(item, int) and item < 0 for item in value):
        raise NoForm("negative numbers remove elements that circular padding repeats")
    return edge_padding(value, call) if mode == "replicate" else padding(value, call)


def all_ones(value: Any, call: CallShape) -> bool:
    """Whether each number is 1."""
    return all(isinstance(item, int) and item == 1 for item in ([value] if isinstance(value, int) else value))


def adaptive_kernel(value: Any, call: CallShape) -> list[int] | None:
    """The size of the windows of an adaptive pool to `output_size`; None if it differs within a dimension or a size of
    the input is unknown."""
    windows = _adaptive_windows(value, call)
    return None if windows is None else [size for size, _ in windows]


def adaptive_stride(value: Any, call: CallShape) -> list[int] | None:
    """The stride of the windows of an adaptive pool; None as for `adaptive_kernel`."""
    windows = _adaptive_windows(value, call)
    return None if windows is None else [step for _, step in windows]


def hop_of_frames(value: Any, call: CallShape) -> int:
    """The distance of frames; a quarter of their length `n_fft` if there is none."""
    return int(call.values["n_fft"] // 4 if value is None else value)


def length_of_window(value: Any, call: CallShape) -> int:
    """The length of a window; that of a frame, `n_fft`, if there is none."""
    return int(call.values["n_fft"] if value is None else value)


def margin_of_window(value: Any, call: CallShape) -> int | None:
    """The padding before a window of the given length that centers it in a frame of the length `n_fft`; None if it has
    that length."""
    missing = int(call.values["n_fft"]) - length_of_window(value, call)
    return missing // 2 if missing else None


def signal_sizes(value: Any, call: CallShape) -> list[Any] | None:
    """The sizes of the dimensions `dim` to crop or pad to, with the size of a dimension for -1."""
    if value is None:
        return None
    found: list[Any] = []
    for item, axis in zip(value, axes(call.values["dim"], call), strict=True):
        size = call.sizes[axis] if call.sizes is not None and isinstance(item, int) and item == -1 else item
        if size is None:
            raise NoForm("it is -1 for a dimension of unknown size")
        found.append(size)
    return found


def half_spectrum(value: Any, call: CallShape) -> Any:
    """The length `n` of a real signal; refused unless its one-sided spectrum has `n // 2 + 1` frequencies."""
    axis = _axis(call.values["dim"][-1], call.rank)
    size = None if call.sizes is None else call.sizes[axis]
    if size is not None and isinstance(value, int) and size != value // 2 + 1:
        raise NoForm(f"a real signal of length {value} has {value // 2 + 1} frequencies, and {size} are given")
    return value


def pairs(value: Any, call: CallShape) -> Any:
    """A tensor that may be complex, stored as pairs of real numbers in a last dimension of size 2. Without this form
    complex tensors are refused."""
    return value


def is_complex(value: Any, call: CallShape) -> bool:
    """Whether the tensor is complex."""
    return call.is_complex(value)


def _adaptive_windows(value: Any, call: CallShape) -> list[tuple[int, int]] | None:
    """The size and stride of the windows of each dimension; None if they vary within one."""
    outputs = [value] if isinstance(value, int) else [*value]
    sizes = [None] * len(outputs) if call.sizes is None else call.sizes[-len(outputs) :]
    found = []
    for size, output in zip(sizes, outputs, strict=True):
        if size is None or not isinstance(output, int) or not 0 < output <= max(size, 1):
            return None
        begins = [place * size // output for place in range(output)]
        lengths = {-(-(place + 1) * size // output) - begin for place, begin in enumerate(begins)}
        steps = {after - begin for begin, after in itertools.pairwise(begins)} or {1}
        if len(lengths) > 1 or len(steps) > 1:
            return None
        found.append((lengths.pop(), steps.pop()))
    return found


def _has_zeros(call: CallShape) -> bool:
    counts = call.values.get("count_include_pad") and call.values.get("divisor_override") is None
    return bool(counts) and any(_repeated(call.values["padding"], call.spatial_rank)) and any(_beyond(call))


def _beyond(call: CallShape) -> list[int]:
    """How far the last window of each dimension extends beyond the padding: with `ceil_mode` there may be one more
    window, unless it starts beyond the input. For an unknown size it is the largest possible extent."""
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
        is_zero,
        factor,
        factor_of_gemm,
        factor_beside_gemm,
        below_one,
        unless_false,
        number_of_dtype,
        end_of_dtype,
        not_nan,
        root,
        no_root,
        window_padding,
        pool_pads,
        pool_zeros,
        pool_counts,
        window_elements,
        quantized_limit,
        group_of_last,
        trailing_axes,
        trailing_axes_from_front,
        edge_padding,
        padding_of_mode,
        all_ones,
        adaptive_kernel,
        adaptive_stride,
        hop_of_frames,
        length_of_window,
        margin_of_window,
        signal_sizes,
        half_spectrum,
        pairs,
        is_complex,
    )
}
