"""What may be done to an argument that is known when a call is made, before a function gets it as an attribute.

A spec names a form for an argument (`implements: {arguments: {padding: {form: both_ends}}}`). A form is given what the
call says, and what is known of its tensors; it gives the value that the function is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opwright.aten.operator_schema import Argument


class NoForm(ValueError):
    """A value that a form does not take; it says why."""


@dataclass(frozen=True, slots=True)
class CallShape:
    """What a form may look at: the argument, the values of all others, and the sizes of the first tensor.

    `sizes` has None for a size that is not known, and is None itself without a rank; a tensor of rank 0 that is taken
    as one of rank 1 has one size.
    """

    argument: Argument
    values: Mapping[str, Any]
    sizes: tuple[int | None, ...] | None

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
    if not -rank <= value < rank:
        raise NoForm(f"there is no dimension {value} among {rank}")
    return value % rank if rank else 0


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


def axes_of_one(value: Any, call: CallShape) -> list[int]:
    """Of the dimensions those whose size is 1."""
    assert call.sizes is not None or call.rank >= 0
    sizes = call.sizes or ()
    chosen = axes([value] if isinstance(value, int) else value, call)
    unknown = [item for item in chosen if sizes[item] is None]
    if unknown:
        raise NoForm(f"whether the size of the dimension {unknown[0]} is 1 is not known")
    return [item for item in chosen if sizes[item] == 1]


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


def start(value: Any, call: CallShape) -> Any:
    """The first element where there is no number."""
    return 0 if value is None else value


def end(value: Any, call: CallShape) -> Any:
    """Behind the last element where there is no number."""
    return (1 << 63) - 1 if value is None else value


def no_number(value: Any, call: CallShape) -> Any:
    """Nothing, where the value is the schema's own default."""
    return None if value == call.argument.default else value


def _repeated(value: Any, count: int) -> list[int]:
    items: Sequence[int] = [value] if isinstance(value, int) else list(value)
    if len(items) == 1:
        items = [*items] * count
    if len(items) != count:
        raise NoForm(f"there are {len(items)} numbers for {count} dimensions")
    return list(items)


FORMS: Mapping[str, Form] = {
    form.__name__: form
    for form in (axes, all_axes, axes_of_one, spatial, both_ends, stride, padding, start, end, no_number)
}
