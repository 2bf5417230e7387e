"""Shapes of views, for ONNX's Reshape and Expand, as far as possible without sizes that the graph computes.

Reshape takes 0 for the size that the tensor has in this place (but with `allowzero`) and -1 for the size that is left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.dimensions import axes
from opwright.aten.tensor_facts import Sizes


def view_sizes(value: Any, call: CallShape) -> list[Any]:
    """The sizes of a view, as numbers alone where that is possible: of those that the graph computes, the tensor's own
    size in its place becomes 0 (then `keeps_sizes` is true) and a single other one -1. With N as the first size of the
    tensor, `[N, 4, M]` gives `[0, 4, -1]`, and `[M, 4]` gives `[-1, 4]`. Where two other sizes are left, or sizes that
    are 0 or -1 forbid it, the list is unchanged."""
    return _without_computed(value, call) or [*value]


def keeps_sizes(value: Any, call: CallShape) -> bool:
    """Whether 0 among the sizes that `view_sizes` gives stands for the tensor's own size in that place, rather than for
    a dimension without elements."""
    return 0 in (_without_computed(value, call) or ())


def _without_computed(value: Sequence[Any], call: CallShape) -> list[int] | None:
    """The sizes as numbers alone; None where that is not possible, or where they are numbers already."""
    computed = [place for place, item in enumerate(value) if not isinstance(item, int)]
    known = [item for item in value if isinstance(item, int)]
    if not computed or 0 in known:
        return None
    found: list[Any] = [*value]
    is_inferred = -1 in known
    if len(computed) > 1 or is_inferred:
        for place in computed:
            found[place] = 0 if call.is_own_size(value[place], place) else value[place]
    left = [place for place in computed if not isinstance(found[place], int)]
    if len(left) == 1 and not is_inferred:
        found[left.pop()] = -1
    return None if left else found


def kept_sizes(value: Any, call: CallShape) -> list[Any]:
    """The sizes to which ONNX's Expand broadcasts a tensor: 1, which changes nothing, for -1 and for a computed size
    that is known to be the tensor's own in that place; places are counted from the end. With N as the first size of a
    tensor of rank 2, `[3, N, -1]` gives `[3, 1, 1]`."""
    before = len(value) - call.rank if call.first is not None and call.first.symbols else 0
    return [
        1 if (isinstance(item, int) and item == -1) or call.is_own_size(item, place - before) else item
        for place, item in enumerate(value)
    ]


def flat_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape in which the dimensions from `start_dim` to `end_dim` are one: `[2, 12]` for 1 to 2 of `(2, 3, 4)`. 0
    for an unknown size before them, -1 for their product where it is not known; None where a size after them is not
    known. Refused where one size is 0 and another one is not known."""
    first, last = call.axis(call.values["start_dim"]), call.axis(call.values["end_dim"])
    if first > last:
        raise NoForm(f"`start_dim` is {first}, after `end_dim`, which is {last}")
    sizes = _known_sizes(call)
    return _joined_shape(sizes[:first], sizes[first : last + 1], sizes[last + 1 :])


def joined_sizes(value: Any, call: CallShape) -> list[int] | None:
    """The shape in which the dimensions `dim1` and `dim2` are one, after all others: `[3, 4]` for 0 and 2 of `(2, 3,
    2)`. 0 for an unknown size before it, -1 for its own. Refused where one size is 0 and another one is not known."""
    pair = axes([call.values["dim1"], call.values["dim2"]], call)
    sizes = _known_sizes(call)
    rest = [size for place, size in enumerate(sizes) if place not in pair]
    return _joined_shape(rest, [sizes[place] for place in pair], ())


def repeated_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape of a tensor whose parts along `dim` are repeated so many times: `[3, 8]` for 2 times along 1 of `(3,
    4)`. Unknown sizes as in `flat_shape`; None also for a tensor of rank 0 and without `dim`."""
    dim = call.values["dim"]
    if dim is None or call.rank == 0:
        return None
    axis, sizes = call.axis(dim), _known_sizes(call)
    times = value if isinstance(value, int) else None
    return _joined_shape(sizes[:axis], (sizes[axis], times), sizes[axis + 1 :])


def _known_sizes(call: CallShape) -> Sizes:
    """Those of the first tensor, none where its rank is not known."""
    return call.sizes or ()


def _joined_shape(
    before: Sequence[int | None], joined: Sequence[int | None], behind: Sequence[int | None]
) -> list[int] | None:
    """The shape in which the dimensions `joined` are one; None where sizes behind it are not known."""
    _refuse_empty((*before, *joined, *behind))
    if None in behind:
        return None
    product = -1 if None in joined else math.prod(item or 0 for item in joined)
    return [*(item or 0 for item in before), product, *(item or 0 for item in behind)]


def unflat_shape(value: Any, call: CallShape) -> list[int] | None:
    """The shape in which the dimension `dim` has become several, of the given sizes: `[5, 2, 3]` for `[2, -1]` at 1 of
    `(5, 6)`. 0 for an unknown size before them; None where a size after them is not known or the graph computes one of
    the given ones. Refused where one size is 0 and another one is not known."""
    axis, sizes = call.axis(call.values["dim"]), call.sizes or (1,)
    if not all(isinstance(item, int) for item in value) or None in sizes[axis + 1 :]:
        return None
    others = math.prod(item for item in value if item != -1)
    if -1 in value and sizes[axis] is not None and others:
        value = [(sizes[axis] or 0) // others if item == -1 else item for item in value]
    _refuse_empty((*sizes, *value))
    return [*(item or 0 for item in sizes[:axis]), *value, *(item or 0 for item in sizes[axis + 1 :])]


def _refuse_empty(sizes: Sizes) -> None:
    """Refuses sizes of which one is 0 and another one is not known: Reshape has no way to say both."""
    if None in sizes and 0 in sizes:
        raise NoForm("a dimension has size 0, and the size of another one is not known")


def group_sizes(value: Any, call: CallShape) -> list[int]:
    """The shape that separates channels into so many groups, each with all its elements in one dimension: `[0, 2, 6]`
    for 2 groups of `(5, 4, 3)`; `[0, 2, -1]` where a size after the batch is not known. Fewer than 1 group is
    refused."""
    if value < 1:
        raise NoForm(f"there are {value} groups")
    sizes = (call.sizes or ())[1:]
    known = [item for item in sizes if item is not None]
    return [0, value, math.prod(known) // value if known and len(known) == len(sizes) else -1]


def group_length(value: Any, call: CallShape) -> list[int] | None:
    """The number of elements of each of so many groups of channels as a list of one: `[6]` for 2 groups of `(5, 4, 3)`.
    None where a size after the batch is not known."""
    length = group_sizes(value, call)[-1]
    return None if length < 0 else [length]
