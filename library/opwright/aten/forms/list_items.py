"""Lists: a number as a list, items of a list, and the tensors of a list that count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from opwright.aten.forms.call_shape import CallShape, NoForm

First = TypeVar("First")
Second = TypeVar("Second")


def listed(value: Any, call: CallShape) -> list[Any] | None:
    """The value as a list of one; None for None."""
    return None if value is None else [value]


def numbers(value: Any, call: CallShape) -> list[Any]:
    """The value as a list: a list of one for a number."""
    return list(value) if isinstance(value, list | tuple) else [value]


def first(value: Any, call: CallShape) -> Any:
    """The first item of a list. A list without it is refused."""
    return item_at(value, 0)


def second(value: Any, call: CallShape) -> Any:
    """The second item of a list. A list without it is refused."""
    return item_at(value, 1)


def matrix_sizes(value: Any, call: CallShape) -> list[Any]:
    """The numbers of rows and columns of a matrix: the value, and the argument `m` or `col`; the value twice where the
    operator has neither."""
    return [value, call.values.get("m", call.values.get("col", value))]


def non_empty(value: Any, call: CallShape) -> list[Any]:
    """The tensors of a list but those of shape `(0,)`, which PyTorch ignores; the first one where no other is left. An
    empty list is refused."""
    return [item for item in value if call.sizes_of(item) != (0,)] or [item_at(value, 0)]


def item_at(items: Sequence[Any], place: int) -> Any:
    """Raises NoForm where the list is shorter."""
    if len(items) <= place:
        raise NoForm(f"it has {len(items)} items")
    return items[place]


def repeated(value: Any, count: int) -> list[Any]:
    """A number for each of so many dimensions: one number, or a list of one, stands for all of them. Raises NoForm for
    a list of another length."""
    items = list(value) if isinstance(value, list | tuple) else [value]
    if len(items) == 1:
        items *= count
    if len(items) != count:
        raise NoForm(f"there are {len(items)} numbers for {count} dimensions")
    return items


def paired(first: Sequence[First], second: Sequence[Second]) -> Iterator[tuple[First, Second]]:
    """The items of two lists, pair by pair. Raises NoForm where one is longer."""
    if len(first) != len(second):
        raise NoForm(f"there are {len(first)} items beside {len(second)}")
    return zip(first, second, strict=True)
