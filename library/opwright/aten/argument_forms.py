"""What may be done to an argument that is known when a call is made, before a function gets it as an attribute.

A spec names a form for an argument (`implements: {arguments: {padding: {form: both_ends}}}`). A form is given what the
call says, and what is known of its tensors; it gives the value that the function is given.
"""

from __future__ import annotations

import math
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


def first(value: Any, call: CallShape) -> Any:
    """The first one of a list."""
    return _item(value, 0)


def second(value: Any, call: CallShape) -> Any:
    """The second one of a list."""
    return _item(value, 1)


def _item(value: Any, place: int) -> Any:
    if len(value) <= place:
        raise NoForm(f"it has {len(value)} items")
    return value[place]


def hidden_size(value: Any, call: CallShape) -> int:
    """The size of a recurrent network's state, which the weights `params` tell."""
    sizes = call.sizes_of(_item(call.values["params"], 1))
    if sizes is None or sizes[-1] is None:
        raise NoForm("the sizes of the weights are not known")
    return sizes[-1]


def weights_each(value: Any, call: CallShape) -> int:
    """How many of the weights `params` of a recurrent network each layer has for each direction. One that drops
    elements between its layers is refused."""
    values = call.values
    if values["train"] and values["dropout"] and values["num_layers"] > 1:
        raise NoForm("elements are dropped between the layers")
    return len(values["params"]) // (values["num_layers"] * (2 if values["bidirectional"] else 1))


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
        first,
        second,
        hidden_size,
        weights_each,
        below_one,
        unless_false,
        number_of_dtype,
        end_of_dtype,
        window_padding,
        pool_pads,
        pool_zeros,
        pool_counts,
        window_elements,
    )
}
