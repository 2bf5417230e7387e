"""Python spellings of arrays and values: the same elements, bit by bit, when they are read again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from opwright.elements import ElementType

from opwright_build.verify.dtypes import element_of
from opwright_build.verify.model import Array

_WIDTH = 88  # of a line in the standard's sources
_NUMPY = {"float": "np.float32", "double": "np.float64", "bool": "np.bool_", "string": "object"}


def array_text(array: Array) -> str:
    """An expression for the array; it needs `np`, and `ml_dtypes` where `needs_ml_dtypes` says so."""
    kind = element_of(array)
    nested = _nested(array.tolist() if array.dtype.kind in "OUSbiu" else array.astype(np.float64).tolist(), array, kind)
    text = f"np.array({nested}, dtype={_dtype(kind)})"
    return text if 0 not in array.shape or array.ndim == 1 else f"np.zeros({array.shape}, dtype={_dtype(kind)})"


def needs_ml_dtypes(array: Array) -> bool:
    return _dtype(element_of(array)).startswith("ml_dtypes.")


def value_text(value: Any) -> str:
    """An attribute's value."""
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(value_text(item) for item in value)}]"
    if isinstance(value, str):
        return json.dumps(value)
    return _float_text(value) if isinstance(value, float) else repr(value)


def _dtype(kind: ElementType) -> str:
    if kind.name in _NUMPY:
        return _NUMPY[kind.name]
    numpy_kinds = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16")
    if kind.name in (*numpy_kinds, "complex64", "complex128"):
        return f"np.{kind.name}"
    return f"ml_dtypes.{_ml_name(kind)}"


def _ml_name(kind: ElementType) -> str:
    """`float8e4m3fn` is `float8_e4m3fn` there."""
    if kind.name.startswith("float") and kind.name != "bfloat16":
        width = len("float8")
        name = f"{kind.name[:width]}_{kind.name[width:]}"
        return f"{name}fn" if kind.name in ("float4e2m1", "float8e8m0", "float6e2m3", "float6e3m2") else name
    return kind.name


def _nested(value: Any, array: Array, kind: ElementType) -> str:
    """Lists in lists, wrapped where they are long; a float is the shortest text that gives it back."""
    if array.dtype.kind == "c":
        value = array.tolist()
    if not isinstance(value, list):
        return _scalar(value, kind)
    items = [_nested(item, array, kind) for item in value]
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
