"""Values of Python as attributes of ONNX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from opwright.elements import element_meant
from opwright.lang.ir import AttributeLiteral
from opwright.lang.meaning.rounding import to_float32

Item = TypeVar("Item")


def code_of(value: object) -> object:
    """ONNX's code of an element type, or of what stands for one: attributes such as `to` take it so. Other values as
    they are."""
    element = element_meant(value)
    return value if element is None else element.code


def convert_attribute(value: object, kind: str) -> AttributeLiteral | None:
    """The value as an ONNX attribute of that kind holds it (floats rounded to float32); None when it is not one."""
    match kind:
        case "INT":
            return _integer(value)
        case "FLOAT":
            return _number(value)
        case "STRING":
            return _text(value)
        case "INTS" | "FLOATS" | "STRINGS" if isinstance(value, (tuple, list)):
            if kind == "STRINGS":  # lists may be long
                return tuple(value) if {*map(type, value)} == {str} else _all(value, _text)
            if kind == "INTS" and {*map(type, value)} == {int}:
                return tuple(value) if min(value) >= -(1 << 63) and max(value) < 1 << 63 else None
            return _all(value, _integer) if kind == "INTS" else _all(value, _number)
    return None


def _integer(value: object) -> int | None:
    return int(value) if isinstance(value, int) and -(1 << 63) <= value < 1 << 63 else None


def _number(value: object) -> float | None:
    try:
        return to_float32(float(value)) if isinstance(value, (int, float)) else None
    except OverflowError:  # an int that no double holds
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _all(values: Sequence[object], convert: Callable[[object], Item | None]) -> tuple[Item, ...] | None:
    made: list[Item] = []
    for value in values:
        item = convert(value)
        if item is None:
            return None
        made.append(item)
    return tuple(made)
