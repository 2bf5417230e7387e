"""Values of Python as attributes of ONNX."""

from __future__ import annotations

from typing import Any

from opwright.lang.rounding import to_float32


def convert_attribute(value: Any, kind: str) -> Any:
    """The value as an ONNX attribute of that kind holds it (floats rounded to float32); None when it is not one."""
    match kind:
        case "INT":
            return int(value) if isinstance(value, (bool, int)) and -(1 << 63) <= value < 1 << 63 else None
        case "FLOAT":
            return to_float32(float(value)) if isinstance(value, (bool, int, float)) else None
        case "STRING":
            return value if isinstance(value, str) else None
        case "INTS" | "FLOATS" | "STRINGS":
            if not isinstance(value, (tuple, list)):
                return None
            if kind == "STRINGS" and {*map(type, value)} == {str}:  # lists may be long
                return tuple(value)
            if kind == "INTS" and {*map(type, value)} == {int}:
                return tuple(value) if min(value) >= -(1 << 63) and max(value) < 1 << 63 else None
            items = [convert_attribute(item, kind[:-1]) for item in value]
            return None if None in items else tuple(items)
    return None
