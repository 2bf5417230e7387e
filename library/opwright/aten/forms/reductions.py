"""Reductions: norms by their names, corrections of variances, and dimensions without elements."""

from __future__ import annotations

import math
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.dimensions import all_axes

_NORMS = {0: "0", 1: "1", 2: "2", math.inf: "inf", -math.inf: "-inf"}


def norm(value: Any, call: CallShape) -> str | None:
    """The order of a norm as a string, `0`, `1`, `2`, `inf` or `-inf`; `2` for None, and None for any other number."""
    return _NORMS.get(2 if value is None else value)


def exponent(value: Any, call: CallShape) -> float | None:
    """The order of a norm as a number where `norm` gives None; else None."""
    return None if norm(value, call) else _number(value)


def named_norm(value: Any, call: CallShape) -> str:
    """As `norm`, with `2` for any other number, which the function gets by `exponent`. `inf` is refused where the last
    dimension has no elements, of which none is the greatest."""
    name = norm(value, call)
    if name == "inf" and call.sizes is not None and call.sizes[-1:] == (0,):
        raise NoForm("vectors have no elements, of which none is the greatest")
    return name or "2"


def correction(value: Any, call: CallShape) -> float | None:
    """What a variance subtracts from the number of elements: 1 for None and True, 0 for False. None for 0, but where
    the tensor is known to have no elements along `dim`."""
    number = 1.0 if value is None else _number(value)
    return number if number or _is_empty_along_dim(call) else None


def count_to_correct(value: Any, call: CallShape) -> int | None:
    """The number of elements along `dim`, or of all without `dim`, from which a variance subtracts what `correction`
    gives: 6 for `(2, 3)`. None where that is None, or one of the sizes is not known."""
    if correction(value, call) is None or call.sizes is None:
        return None
    sizes = [call.size_along(item) for item in all_axes(call.values.get("dim"), call)]
    known = [size for size in sizes if size is not None]
    return math.prod(known) if len(known) == len(sizes) else None


def with_elements(value: Any, call: CallShape) -> Any:
    """A tensor, unchanged. It is refused where the first tensor is known to have no elements along `dim`, or without
    `dim` in any dimension."""
    if _is_empty_along_dim(call):
        raise NoForm("it has no elements")
    return value


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        raise NoForm("it is computed in the graph")
    return float(value)


def _is_empty_along_dim(call: CallShape) -> bool:
    """Whether one of the dimensions `dim` of the first tensor, or of all dimensions without `dim`, is of size 0."""
    return call.sizes is not None and any(call.size_along(item) == 0 for item in all_axes(call.values.get("dim"), call))
