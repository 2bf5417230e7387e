"""Values of attributes in vector rows, checked against the attribute's ONNX type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import onnx.parser
from opwright.bundle.format import AttributeEntry, FunctionEntry

from opwright_build.spec.literals import Nested

_INT64 = range(-(1 << 63), 1 << 63)
_LARGEST_FLOAT = float(np.finfo(np.float32).max)


class WrongAttribute(ValueError):
    """A value that the attribute does not take; the text continues "the attribute `x` ..."."""


def attribute_from_row(entry: AttributeEntry, value: Nested) -> Any:
    """The value as int, float, str or a tuple of them; a graph, written in ONNX's text form, as GraphProto. Raises
    WrongAttribute."""
    if entry.type == "GRAPH" and isinstance(value, str):
        try:
            return onnx.parser.parse_graph(value)
        except onnx.parser.ParseError as error:
            raise WrongAttribute(f"is a graph, in ONNX's text form: {_last_line(error)}") from None
    if entry.type in ("INTS", "FLOATS", "STRINGS"):
        if not isinstance(value, tuple):
            raise WrongAttribute(f"is {entry.type}: a sequence of values")
        return tuple(_scalar(entry.type.removesuffix("S"), item) for item in value)
    found = _scalar(entry.type, value)
    if entry.choices and found not in entry.choices:
        raise WrongAttribute(f"is one of {', '.join(map(repr, entry.choices))}")
    return found


def _last_line(error: Exception) -> str:
    """What onnx's parser says at the end; it gives its text as bytes."""
    text = error.args[0] if error.args else ""
    return (text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)).strip().rpartition("\n")[2]


def _scalar(kind: str, value: Nested) -> int | float | str:
    if kind == "INT" and isinstance(value, int):
        if value not in _INT64:
            raise WrongAttribute("is out of the range of int64")
        return int(value)  # `true` is how a bool of the function is written
    if kind == "FLOAT" and isinstance(value, int | float) and not isinstance(value, bool):
        if _LARGEST_FLOAT < abs(value) < math.inf:
            raise WrongAttribute("is out of the range of float")
        return float(value)
    if kind == "STRING" and isinstance(value, str):
        return value
    wanted = {"INT": "a whole number", "FLOAT": "a number", "STRING": "text"}.get(kind)
    raise WrongAttribute(f"is {kind}: {wanted}" if wanted else f"is {kind}, which a row cannot give")


def attributes_for_reference(entry: FunctionEntry, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every attribute that has a value, as the function sees it: defaults filled in, floats rounded to float32."""
    result: dict[str, Any] = {}
    for attribute in entry.attributes:
        value = given.get(attribute.name, attribute.default)
        if value is not None:
            result[attribute.name] = _as_bound(attribute.type, value)
    return result


def _as_bound(kind: str, value: Any) -> Any:
    if kind == "FLOAT":
        return float(np.float32(value))
    if kind == "FLOATS":
        return [float(np.float32(item)) for item in value]
    return list(value) if isinstance(value, tuple) else value
