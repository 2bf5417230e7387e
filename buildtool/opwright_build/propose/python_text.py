"""Python spellings of arrays and values: the same elements, bit by bit, when they are read again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from opwright.elements import ElementType

from opwright_build.verify.case_model import Array
from opwright_build.verify.dtypes import element_of

_WIDTH = 88  # of a line in the standard's sources


def array_text(array: Array) -> str:
    """An expression for the array; it needs `np`, and `ml_dtypes` where `needs_ml_dtypes` says so."""
    if 0 in array.shape and array.ndim > 1:
        return f"np.zeros({array.shape}, dtype={_dtype(array)})"
    values = array.astype(np.float64) if _is_foreign(array) else array
    return f"np.array({_nested(values.tolist(), element_of(array))}, dtype={_dtype(array)})"


def needs_ml_dtypes(array: Array) -> bool:
    return _is_foreign(array)


def value_text(value: Any) -> str:
    """An attribute's value."""
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(value_text(item) for item in value)}]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)  # JSON writes a pair of surrogates, which Python takes for two
    return _float_text(value) if isinstance(value, float) else repr(value)


def _dtype(array: Array) -> str:
    if array.dtype.kind in "OUS":
        return "object"
    if array.dtype.kind == "b":
        return "np.bool_"
    return f"{'ml_dtypes' if _is_foreign(array) else 'np'}.{array.dtype.name}"


def _is_foreign(array: Array) -> bool:
    """Whether numpy has the type from ml_dtypes."""
    return array.dtype.type.__module__ == "ml_dtypes"


def _nested(value: Any, kind: ElementType) -> str:
    """Lists in lists, wrapped where they are long; a float is the shortest text that gives it back."""
    if not isinstance(value, list):
        return _scalar(value, kind)
    items = [_nested(item, kind) for item in value]
    text = f"[{', '.join(items)}]"
    if len(text) <= _WIDTH - len("        x = np.array(, dtype=np.float32)"):
        return text
    return "[\n" + "".join(f"    {line}\n" for line in _wrapped(items)) + "]"


def _wrapped(items: list[str]) -> Iterator[str]:
    line = ""
    for item in items:
        if "\n" in item:
            if line:
                yield line
            line = ""
            yield "\n    ".join(f"{item},".splitlines())
        elif line and len(line) + len(item) + 2 > _WIDTH - 16:
            yield line
            line = f"{item},"
        else:
            line = f"{line} {item}," if line else f"{item},"
    if line:
        yield line


def _scalar(value: Any, kind: ElementType) -> str:
    if isinstance(value, float):
        return _float_text(value, kind)
    if isinstance(value, complex):
        return f"complex({_float_text(value.real)}, {_float_text(value.imag)})"
    return repr(value.decode() if isinstance(value, bytes) else value)


def _float_text(value: float, kind: ElementType | None = None) -> str:
    if math.isnan(value):
        return "np.nan"
    if math.isinf(value):
        return "-np.inf" if value < 0 else "np.inf"
    if kind is not None and kind.name in ("float", "float16"):
        numpy_type = np.float32 if kind.name == "float" else np.float16
        short = str(numpy_type(value))
        if numpy_type(float(short)) == value:
            return short
    return repr(value)
