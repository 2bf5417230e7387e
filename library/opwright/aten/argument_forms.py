"""What may be done to an argument that is known when a call is made, before a function gets it as an attribute.

A spec names a form for an argument (`implements: {arguments: {padding: {form: both_ends}}}`). A form is given what the
call says, and what is known of its tensors; it gives the value that the function is given.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from opwright.aten.operator_schema import Argument
from opwright.elements import ElementType


class NoForm(ValueError):
    """A value that a form does not take; it says why."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """What a form may look at: the argument, the values of all others, the sizes of the first tensor, and of any other.

    `sizes` has None for a size that is not known, and is None itself without a rank; a tensor of rank 0 that is taken
    as one of rank 1 has one size. `sizes_of` gives a tensor's own ones, `element_of` its element type.
    """

    argument: Argument
    values: Mapping[str, Any]
    sizes: tuple[int | None, ...] | None
    sizes_of: Callable[[Any], tuple[int | None, ...] | None]
    element_of: Callable[[Any], ElementType | None] = lambda tensor: None

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

_LAST = (1 << 63) - 1


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


def listed(value: Any, call: CallShape) -> list[Any] | None:
    """A number as a list of one; None without a number."""
    return None if value is None else [value]


def order(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions in the order in which `dim0` and `dim1`, or `axis0` and `axis1`, have changed places; None where
    that is their own."""
    first, second = axes(value, call), axes(call.values.get("dim1", call.values.get("axis1")), call)
    places = list(range(call.rank))
    if first == second:
        return None
    places[first], places[second] = second, first
    return places


def moved_order(value: Any, call: CallShape) -> list[int]:
    """All dimensions in the order in which those of `source` are at the places of `destination`."""
    source, destination = (axes(numbers(call.values[name], call), call) for name in ("source", "destination"))
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
    return [_LAST if value is None else value]


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


def is_zero(value: Any, call: CallShape) -> bool:
    """Whether the value is 0, as that of a factor without which a term is left out."""
    return bool(value == 0)


def factor(value: Any, call: CallShape) -> Any:
    """A factor in the element type of `self`: of integers without its fraction, and wrapped around at the limits."""
    element = call.element_of(call.values["self"])
    if element is not None and element.kind == "bool":
        return value != 0
    if element is None or not element.is_integer or not _is_finite(value):
        return value
    low, count = int(element.minimum), 1 << element.bits
    return (int(value) - low) % count + low


def factor_of_gemm(value: Any, call: CallShape) -> float | None:
    """A factor as an attribute of Gemm, which is of type float; None where `factor_beside_gemm` gives one."""
    return value if _is_of_gemm(call) else None


def factor_beside_gemm(value: Any, call: CallShape) -> Any:
    """A factor as `factor` has it where Gemm has no attributes for `alpha` and `beta`: of integers, for numbers of type
    double that float does not hold, and where the sums may be empty. Else None."""
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


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def not_nan(value: Any, call: CallShape) -> Any:
    """A number as it is. One that is nan is refused: runtimes differ in what they compare with it."""
    if isinstance(value, float) and math.isnan(value):
        raise NoForm("it is nan")
    return value


def root(value: Any, call: CallShape) -> str | None:
    """Of an exponent `sqrt` where it is 0.5, `rsqrt` where it is -0.5, else None. PyTorch takes roots there: of -inf
    they are nan, and powers are not."""
    return None if value not in (0.5, -0.5) else "sqrt" if value > 0 else "rsqrt"


def no_root(value: Any, call: CallShape) -> Any:
    """An exponent, None where `root` says it."""
    return None if root(value, call) else value


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


def sizes_of_index(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of `index`, as far as all of them are known."""
    return _are_equal(call.sizes_of(value), call.sizes_of(call.values["index"]))


def sizes_of_first(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of the first one, as far as all of them are known."""
    return _are_equal(call.sizes_of(value), call.sizes)


def of_equal_sizes(value: Any, call: CallShape) -> bool:
    """Whether the tensors of a list have the same sizes, as far as all of them are known, and none is of truth values.
    None is passed over."""
    given = [item for item in value if item is not None]
    known = [call.sizes_of(item) for item in given]
    return all(_are_equal(known[0], sizes) for sizes in known) and not any(_is_mask(item, call) for item in given)


def sizes_of_indexed(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of what `indices` take of the first one, as far as all of them are known."""
    indices, own = call.values["indices"], call.sizes_of(value)
    if call.sizes is None or any(_is_mask(item, call) for item in indices if item is not None):
        return False
    places = [place for place, item in enumerate(indices) if item is not None]
    joint = _broadcast([call.sizes_of(indices[place]) for place in places])
    if joint is None or not places:
        return False
    rest = [size for place, size in enumerate(call.sizes) if place not in places]
    first = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
    return _are_equal(own, (*rest[:first], *joint, *rest[first:]))


def _are_equal(first: tuple[int | None, ...] | None, second: tuple[int | None, ...] | None) -> bool:
    return first is not None and None not in first and first == second


def _is_mask(tensor: Any, call: CallShape) -> bool:
    """Whether it counts by where it is true; PyTorch takes uint8 so, too."""
    element = call.element_of(tensor)
    return element is None or element.name in ("bool", "uint8")


def _broadcast(shapes: Sequence[tuple[int | None, ...] | None]) -> tuple[int, ...] | None:
    """The sizes of tensors that are broadcast together; None where one is not known."""
    found: list[int] = []
    for sizes in shapes:
        if sizes is None:
            return None
        found = [1] * (len(sizes) - len(found)) + found
        for place, size in enumerate(sizes, len(found) - len(sizes)):
            if size is None:
                return None
            found[place] = size if found[place] == 1 else found[place]
    return tuple(found)


def of_equal_rank(value: Any, call: CallShape) -> Any:
    """A tensor that has as many dimensions as the first one. PyTorch takes others where they have no elements."""
    sizes = call.sizes_of(value)
    if sizes is not None and call.sizes is not None and max(len(sizes), 1) != max(len(call.sizes), 1):
        raise NoForm(f"it has {len(sizes)} dimensions, and the first tensor {len(call.sizes)}")
    return value


def along(value: Any, call: CallShape) -> list[int]:
    """The shape in which a list is broadcast along a dimension: -1, and 1 for each dimension behind it."""
    return [-1] + [1] * (call.rank - 1 - _axis(value, call.rank))


def part_is_known(value: Any, call: CallShape) -> bool:
    """Whether it is known which elements are between `start` and `end`, and all of these are meant."""
    return _part(call) is not None


def part_start(value: Any, call: CallShape) -> list[int] | None:
    """A list of one: the first element from `start` to `end`; None where that is the very first, or is not known."""
    part = _part(call)
    return None if part is None or part[0] == 0 else [part[0]]


def part_end(value: Any, call: CallShape) -> list[int] | None:
    """A list of one: the first element behind those from `start` to `end`; None without any, or where that is not
    known."""
    part = _part(call)
    size = None if call.sizes is None else call.sizes[_axis(call.values["dim"], call.rank)]
    return None if part is None or part[1] == (_LAST if size is None else size) else [part[1]]


def _part(call: CallShape) -> tuple[int, int] | None:
    """From which element to which `start` and `end` are, counted from the first, where that is known."""
    size = None if call.sizes is None else call.sizes[_axis(call.values["dim"], call.rank)]
    first, last = call.values["start"], call.values["end"]
    bounds: list[int] = []
    for bound in (0 if first is None else first, _LAST if last is None else last):
        if not isinstance(bound, int) or (bound < 0 and size is None):
            return None
        from_front = bound + size if bound < 0 and size is not None else bound
        bounds.append(max(from_front if size is None else min(from_front, size), 0))
    return (bounds[0], max(bounds)) if call.values["step"] == 1 else None


def dimensions_last(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions, `dim1` and `dim2` at the end; None where they are there."""
    pair = axes([call.values["dim1"], call.values["dim2"]], call)
    order = [*(item for item in range(call.rank) if item not in pair), *pair]
    return None if order == list(range(call.rank)) else order


def joined_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes without those of `dim1` and `dim2`, and behind them what these come to: 0 for one that stays, -1 for
    the last, where one is not known."""
    pair = axes([call.values["dim1"], call.values["dim2"]], call)
    sizes = call.sizes or ()
    rest = [sizes[item] for item in range(call.rank) if item not in pair]
    known = [item for item in (*rest, *(sizes[item] for item in pair)) if item is not None]
    if len(known) == len(sizes):
        return [*known[:-2], known[-2] * known[-1]]
    if 0 in known:
        raise NoForm("a dimension has size 0, and the size of another one is not known")
    return [0] * len(rest) + [-1]


def diagonal_places(value: Any, call: CallShape) -> list[int] | None:
    """Of the elements of each matrix those of a diagonal; None where sizes are not known."""
    first, second = axes([call.values["dim1"], call.values["dim2"]], call)
    sizes = call.sizes or ()
    rows, columns = sizes[first], sizes[second]
    if rows is None or columns is None:
        return None
    row, column = below_zero(value, call), above_zero(value, call)
    count = max(min(rows - row, columns - column), 0)
    return [row * columns + column + place * (columns + 1) for place in range(count)]


def below_zero(value: Any, call: CallShape) -> int:
    """How far a number is below 0."""
    return -value if value < 0 else 0


def above_zero(value: Any, call: CallShape) -> int:
    """How far a number is above 0."""
    return value if value > 0 else 0


def strided_whole(value: Any, call: CallShape) -> bool:
    """Whether `size` and `stride` are about all elements of the first tensor, in their order."""
    known = [item for item in call.sizes or () if item is not None]
    if call.sizes is None or len(known) != len(call.sizes) or call.values["storage_offset"]:
        return False
    step = 1
    for size, stride in zip(reversed(value), reversed(call.values["stride"]), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return step == math.prod(known)


def sizes_beside_dim(value: Any, call: CallShape) -> bool:
    """Whether a tensor has the sizes of the first one but for the dimension `dim`, as far as they are known."""
    own, dim = call.sizes_of(value), call.values["dim"]
    if own is None or call.sizes is None or dim is None or len(own) != call.rank:
        return False
    axis = _axis(dim, call.rank)
    return _are_equal((*own[:axis], *own[axis + 1 :]), (*call.sizes[:axis], *call.sizes[axis + 1 :]))


def count_of_parts(value: Any, call: CallShape) -> int:
    """How many parts the dimension `dim` has, at least one."""
    size = _size_of_dim(call)
    if size == 0:
        raise NoForm("there is no part, and a function has a result")
    return size


def _size_of_dim(call: CallShape) -> int:
    axis = _axis(call.values["dim"], call.rank)
    size = None if not call.sizes else call.sizes[axis]
    if size is None:
        raise NoForm("the size of the dimension is not known")
    return size


def part_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes of parts of one size along `dim`, the last one of what is left."""
    size = _size_of_dim(call)
    if not isinstance(value, int):
        raise NoForm("it is computed in the graph, and decides how many results there are")
    return [min(value, size - start) for start in range(0, size, max(value, 1))] or [0]


def chunk_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes of so many parts along `dim` or fewer, of one size but for the last one."""
    size = _size_of_dim(call)
    return part_sizes(-(-size // value), call) if size else [0] * value


def section_sizes(value: Any, call: CallShape) -> list[int]:
    """The sizes of so many parts along `dim`, the first ones by one larger where they cannot all be equal."""
    size = _size_of_dim(call)
    if not isinstance(value, int):
        raise NoForm("it is computed in the graph, and decides how many results there are")
    return [size // value + (place < size % value) for place in range(value)]


def sizes_between(value: Any, call: CallShape) -> list[int]:
    """The sizes of the parts along `dim` that end before given positions, and of the last one."""
    size = _size_of_dim(call)
    if not all(isinstance(item, int) for item in value):
        raise NoForm("positions are computed in the graph")
    bounds = [0, *(max(item + size if item < 0 else min(item, size), 0) for item in value), size]
    if bounds != sorted(bounds):
        raise NoForm("a part begins before the end of another one")
    return [end - start for start, end in pairwise(bounds)]


def matrix_sizes(value: Any, call: CallShape) -> list[Any]:
    """How many rows and columns a matrix has, which are `n` and `m`, or `row` and `col`; without the second as many."""
    values = call.values
    return [value, values.get("m", values.get("col", value))]


def dtype_unless_float(value: Any, call: CallShape) -> ElementType | None:
    """The element type, that of `self` where there is none; None for float."""
    found = value or call.element_of(call.values.get("self"))
    return None if found is None or found.name == "float" else found


def other_dtype(value: Any, call: CallShape) -> ElementType | None:
    """The element type; None where it is that of the first tensor."""
    return None if value is call.element_of(call.values["self"]) else value


def matrix_order(value: Any, call: CallShape) -> list[int]:
    """All dimensions, the last two of them exchanged."""
    places = list(range(call.rank))
    return [*places[:-2], *reversed(places[-2:])]


def numbers(value: Any, call: CallShape) -> list[int]:
    """A number or a list of them as a list."""
    return [value] if isinstance(value, int) else list(value)


def unless_negative(value: Any, call: CallShape) -> Any:
    """Nothing, where the value is below 0."""
    return None if isinstance(value, int) and value < 0 else value


def right_or_side(value: Any, call: CallShape) -> bool:
    """True where `side` is `right`, too."""
    return bool(value) or call.values["side"] == "right"


def behind(value: Any, call: CallShape) -> int | None:
    """The dimension behind one, counted from the first; None without a number."""
    return None if value is None else _axis(value, call.rank) + 1


def flat_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape for ONNX's Reshape in which the dimensions from `start_dim` to `end_dim` are one; None where sizes that
    are not known are behind them."""
    first, last = _axis(call.values["start_dim"], call.rank), _axis(call.values["end_dim"], call.rank)
    sizes = call.sizes or ()
    return _joined_shape(sizes[:first], sizes[first : last + 1], sizes[last + 1 :])


def _joined_shape(
    before: Sequence[int | None], joined: Sequence[int | None], rest: Sequence[int | None]
) -> list[int] | None:
    known = [item for item in (*before, *joined, *rest) if item is not None]
    is_known = len(known) == len(before) + len(joined) + len(rest)
    if not is_known and 0 in known:
        raise NoForm("a dimension has size 0, and the size of another one is not known")
    if None in rest:
        return None
    return [*(item or 0 for item in before), math.prod(known[len(before) : len(known) - len(rest)]) if is_known else -1,
            *(item or 0 for item in rest)]  # fmt: skip


def sizes_are_known(value: Any, call: CallShape) -> bool:
    """Whether all sizes of the first tensor are known."""
    return call.sizes is not None and None not in call.sizes


def unflat_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape for ONNX's Reshape in which the dimension `dim` has become those of a list; None where sizes are
    computed, or those that are not known are behind them."""
    axis, sizes = _axis(call.values["dim"], call.rank), call.sizes or ()
    if not all(isinstance(item, int) for item in value) or None in sizes[axis + 1 :]:
        return None
    others = math.prod(item for item in value if item != -1)
    if -1 in value and sizes[axis] is not None and others:
        value = [(sizes[axis] or 0) // others if item == -1 else item for item in value]
    if None in sizes and 0 in (*sizes, *value):
        raise NoForm("a dimension has size 0, and the size of another one is not known")
    return [*(item or 0 for item in sizes[:axis]), *value, *(item or 0 for item in sizes[axis + 1 :])]


def counts_behind(value: Any, call: CallShape) -> list[Any]:
    """A number for the new dimension behind `dim`, or behind all elements, and 1 for each other one."""
    dim = call.values["dim"]
    if dim is None or not call.sizes:
        return [1, value]
    axis = _axis(dim, call.rank)
    return [1] * (axis + 1) + [value] + [1] * (call.rank - 1 - axis)


def new_axis_behind(value: Any, call: CallShape) -> list[int] | None:
    """A list of one: the dimension behind one; None without a number, and for a tensor of rank 0."""
    return None if value is None or not call.sizes else [_axis(value, call.rank) + 1]


def repeated_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape for ONNX's Reshape of a tensor whose parts along `dim` are repeated; None where sizes behind it are not
    known."""
    dim = call.values["dim"]
    if dim is None or not call.sizes:
        return None
    axis, sizes = _axis(dim, call.rank), call.sizes
    times = value if isinstance(value, int) else None
    return _joined_shape(sizes[:axis], (sizes[axis], times), sizes[axis + 1 :])


def roll_cuts(value: Any, call: CallShape) -> list[int]:
    """For each of `dims`, or for all elements, the position of what comes first after a shift, -1 where the size is not
    known."""
    shifts, dims, sizes = numbers(value, call), numbers(call.values["dims"], call), call.sizes or ()
    found = [sizes[_axis(dim, call.rank)] for dim in dims] if call.sizes else [1 for _ in dims]
    if not dims:
        found = [None if None in sizes else math.prod(item or 0 for item in sizes)]
    return [-1 if size is None else -shift % max(size, 1) for shift, size in zip(shifts, found, strict=True)]


def turned_axes(value: Any, call: CallShape) -> list[int]:
    """The dimensions whose elements come in reverse order where the plane of `dims` is turned by `k` right angles."""
    first, second = axes(call.values["dims"], call)
    found: list[int] = [[], [second], [first, second], [first]][call.values["k"] % 4]
    return found


def turned_order(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions, those of `dims` exchanged where `k` right angles turn the plane by 90 or 270 degrees; else None."""
    first, second = axes(call.values["dims"], call)
    places = list(range(call.rank))
    places[first], places[second] = second, first
    return places if call.values["k"] % 2 else None


def part_last(value: Any, call: CallShape) -> list[int] | None:
    """Where a dimension has become two, all dimensions, the second of these at the end; None where it is there."""
    if call.sizes == ():
        raise NoForm("the first tensor has rank 0")
    inner = _axis(value, call.rank) + 1
    return None if inner == call.rank else [*(item for item in range(call.rank + 1) if item != inner), inner]


def embedded_order(value: Any, call: CallShape) -> list[int] | None:
    """All dimensions of matrices that are made of vectors, those of the matrices in place of `dim1` and `dim2`; None
    where that is the end."""
    rank = call.rank + 1
    first, second = (_axis(call.values[name], rank) for name in ("dim1", "dim2"))
    others = iter(range(rank - 2))
    order = [rank - 2 if item == first else rank - 1 if item == second else next(others) for item in range(rank)]
    return None if order == list(range(rank)) else order


def is_one(value: Any, call: CallShape) -> bool:
    """Whether a number is 1."""
    return isinstance(value, int) and value == 1


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
        sizes_of_index,
        sizes_of_first,
        sizes_of_indexed,
        of_equal_sizes,
        of_equal_rank,
        along,
        part_is_known,
        part_start,
        part_end,
        dimensions_last,
        joined_sizes,
        diagonal_places,
        below_zero,
        above_zero,
        strided_whole,
        sizes_beside_dim,
        count_of_parts,
        part_sizes,
        chunk_sizes,
        section_sizes,
        sizes_between,
        matrix_sizes,
        dtype_unless_float,
        other_dtype,
        matrix_order,
        numbers,
        unless_negative,
        right_or_side,
        behind,
        flat_shape,
        sizes_are_known,
        unflat_shape,
        counts_behind,
        new_axis_behind,
        repeated_shape,
        roll_cuts,
        turned_axes,
        turned_order,
        part_last,
        embedded_order,
        is_one,
    )
}
