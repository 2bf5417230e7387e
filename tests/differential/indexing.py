"""Subscripts of tensors, which are numpy's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.differential.values import Fixed, OutOfScope, Refused, Tensor, is_number, of_numpy, to_tensor


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop:step`, each an int, an integer tensor of rank 0, or None."""

    start: Any
    stop: Any
    step: Any


def item_of(owner: Tensor, index: Sequence[Any]) -> Any:
    """`owner[index]`."""
    found = tuple(_read(item) for item in index)
    try:
        if isinstance(owner, Fixed):
            return of_numpy(owner.array[found])
        return Tensor(np.asarray(owner.array[found]))
    except IndexError as error:
        raise OutOfScope(f"Python raises IndexError: {str(error)[:40]}") from None


def _read(item: Any) -> Any:
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, Slice):
        return read_slice(item)
    if is_number(item):
        if isinstance(item, (bool, float)):
            raise Refused(f"{item!r} is no index")
        return item
    if isinstance(item, range):
        item = list(item)
    if isinstance(item, (tuple, list)):
        item = to_tensor(item)
    if not isinstance(item, Tensor) or item.dtype.kind == "f":
        raise Refused(f"{item!r} is no index")
    if item.array.ndim:
        return item.array
    if item.dtype.kind == "b":
        raise Refused("a mask of rank 0")
    return int(item.array)


def make_slice(*parts: Any) -> Slice:
    """Python's `slice(...)`."""
    if not 1 <= len(parts) <= 3:
        raise Refused("a slice has one to three bounds")
    start, stop, step = (None, *parts, None)[:3] if len(parts) == 1 else (*parts, None)[:3]
    return Slice(start, stop, step)


def read_slice(item: Slice) -> slice:
    start, stop, step = (_bound(part) for part in (item.start, item.stop, item.step))
    if step == 0:
        raise OutOfScope("Python raises ValueError: slice step cannot be zero")
    return slice(start, stop, step)


def _bound(part: Any) -> int | None:
    if part is None:
        return None
    if isinstance(part, Tensor):
        if part.dtype.kind not in "iu":
            raise Refused("bounds of slices are integers")
        if part.array.ndim:
            raise OutOfScope("a bound of a slice has rank 0")
        return int(part.array)
    if isinstance(part, float) or not isinstance(part, int):
        raise Refused("bounds of slices are integers")
    return int(part)
