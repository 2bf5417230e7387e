"""What is known of sizes before a graph runs: the sizes themselves, and whether tensors agree in them, so that a
shorter body will do.

Of a tensor that has one unknown size onnxruntime computes no Shape ahead of a run, nor what follows from it. Sizes are
equal as numbers or as expressions. Of two expressions that differ, or of one and a number, neither is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.list_items import numbers, paired
from opwright.aten.tensor_facts import NamedSizes


def sizes_are_known(value: Any, call: CallShape) -> bool:
    """Whether all sizes of the first tensor are known."""
    return call.sizes is not None and None not in call.sizes


def sizes_along(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of the first tensor along the given dimension, or along each of a list: `[4]` for -1 and `(2, 4)`. None
    where one of them is not known."""
    return None if call.sizes is None else _known(call.size_along(dim) for dim in numbers(value, call))


def size_of_channels(value: Any, call: CallShape) -> list[int] | None:
    """The size of the second dimension, that of channels, as a list of one; None where it is not known."""
    return _known((call.sizes or ())[1:2])


def sizes_of_space(value: Any, call: CallShape) -> list[int] | None:
    """The sizes of all dimensions after batch and channels: `[4, 5]` for `(2, 3, 4, 5)`. None where there are none, or
    one of them is not known."""
    return _known((call.sizes or ())[2:])


def sizes_without_weight(value: Any, call: CallShape) -> list[int] | None:
    """The given sizes, where there is no argument `weight` that has them; None also where the graph computes one of
    them."""
    return _known(size if isinstance(size, int) else None for size in value) if call.values["weight"] is None else None


def is_empty(value: Any, call: CallShape) -> bool:
    """Whether the first tensor is known to have no elements."""
    return call.sizes is not None and 0 in call.sizes


def sizes_of_first(value: Any, call: CallShape) -> bool:
    """Whether a tensor is known to have the sizes of the first one."""
    return _are_equal(call.named_sizes_of(value), call.named_sizes)


def sizes_of_index(value: Any, call: CallShape) -> bool:
    """Whether a tensor is known to have the sizes of the argument `index`."""
    return _are_equal(call.named_sizes_of(value), call.named_sizes_of(call.values["index"]))


def sizes_beside_dim(value: Any, call: CallShape) -> bool:
    """Whether a tensor is known to have the sizes of the first one in all dimensions but `dim`; false without `dim`."""
    own, first, dim = call.named_sizes_of(value), call.named_sizes, call.values["dim"]
    if own is None or first is None or dim is None or len(own) != call.rank:
        return False
    axis = call.axis(dim)
    return _are_equal((*own[:axis], *own[axis + 1 :]), (*first[:axis], *first[axis + 1 :]))


def may_broadcast(value: Any, call: CallShape) -> bool:
    """Whether tensors of the call may have different sizes: whether they are not known to be equal."""
    found = [sizes for sizes in map(call.named_sizes_of, call.values.values()) if sizes is not None]
    return any(None in sizes or sizes != found[0] for sizes in found)


def of_equal_rank(value: Any, call: CallShape) -> Any:
    """A tensor, unchanged. It is refused where its rank is known to differ from that of the first one (0 counts as 1):
    PyTorch takes such tensors where they have no elements."""
    sizes = call.sizes_of(value)
    if sizes is not None and call.sizes is not None and max(len(sizes), 1) != max(len(call.sizes), 1):
        raise NoForm(f"it has {len(sizes)} dimensions, and the first tensor {len(call.sizes)}")
    return value


def of_equal_sizes(value: Any, call: CallShape) -> bool:
    """Whether the tensors of a list are known to have the same sizes and to be no masks (see `sizes_of_indexed`). Items
    that are None are left out."""
    given = [item for item in value if item is not None]
    known = [call.named_sizes_of(item) for item in given]
    return all(_are_equal(known[0], sizes) for sizes in known) and not any(_is_mask(item, call) for item in given)


def sizes_of_indexed(value: Any, call: CallShape) -> bool:
    """Whether a tensor is known to have the sizes of `first[indices]`, the first tensor indexed by a list of tensors
    and None as in PyTorch. False for masks, tensors of bool or uint8, whose number of true elements is not known."""
    indices, own, sizes = call.values["indices"], call.named_sizes_of(value), call.named_sizes
    if sizes is None or any(_is_mask(item, call) for item in indices if item is not None):
        return False
    places = [place for place, item in enumerate(indices) if item is not None]
    joint = _broadcast([call.named_sizes_of(indices[place]) for place in places])
    if joint is None or not places:
        return False
    rest = [size for place, size in enumerate(sizes) if place not in places]
    first = places[0] if places == list(range(places[0], places[-1] + 1)) else 0
    return _are_equal(own, (*rest[:first], *joint, *rest[first:]))


def strided_whole(value: Any, call: CallShape) -> bool:
    """Whether the tensor of the given sizes and the strides `stride`, in elements, is known to have all elements of the
    first tensor in their order: `[2, 3]` with strides `[3, 1]` of 6 elements. Sizes of 1 have any stride."""
    if call.sizes is None or None in call.sizes or call.values["storage_offset"]:
        return False
    step = 1
    for size, stride in paired([*reversed(value)], [*reversed(call.values["stride"])]):
        if not isinstance(size, int) or (size != 1 and stride != step):
            return False
        step *= size
    return step == math.prod(item or 0 for item in call.sizes)


def _known(sizes: Iterable[int | None]) -> list[int] | None:
    """The sizes as a list; None where there are none, or one of them is not known."""
    found = [*sizes]
    known = [size for size in found if size is not None]
    return known if known and len(known) == len(found) else None


def _are_equal(first: NamedSizes | None, second: NamedSizes | None) -> bool:
    return first is not None and None not in first and first == second


def _is_mask(tensor: Any, call: CallShape) -> bool:
    """Whether it selects by where it is true, or may do so; PyTorch takes uint8 as bool here."""
    element = call.element_of(tensor)
    return element is None or element.name in ("bool", "uint8")


def _broadcast(shapes: Sequence[NamedSizes | None]) -> NamedSizes | None:
    """The sizes of tensors that are broadcast together; None where one is not known."""
    found: list[int | str] = []
    for sizes in shapes:
        if sizes is None:
            return None
        found = [*[1] * (len(sizes) - len(found)), *found]
        for place, size in enumerate(sizes, len(found) - len(sizes)):
            joint = _joint_size(found[place], size)
            if joint is None:
                return None
            found[place] = joint
    return tuple(found)


def _joint_size(first: int | str, second: int | str | None) -> int | str | None:
    """The size of two dimensions that are broadcast together; None where it is not known."""
    if second in (first, 1):
        return first
    if first == 1:
        return second
    # An expression beside a number may be 1 or that number, beside another expression either of the two.
    numbers = [size for size in (first, second) if isinstance(size, int)]
    return numbers[0] if numbers and second is not None else None
