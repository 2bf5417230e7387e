"""Numpy arrays as ONNX has them: the dtype of every element type, and the element type of an array."""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np
from onnx import helper

from opwright.elements import BY_CODE, BY_NAME, ElementType

Array = np.ndarray[Any, np.dtype[Any]]

_NAMED: dict[str, Any] = {
    "float": np.float32,
    "double": np.float64,
    "string": object,
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
}
DTYPES: dict[ElementType, np.dtype[Any]] = {item: np.dtype(_NAMED.get(name, name)) for name, item in BY_NAME.items()}
ELEMENTS: dict[np.dtype[Any], ElementType] = {dtype: item for item, dtype in DTYPES.items()}
_STRING = BY_NAME["string"]


def element_of(array: Array) -> ElementType | None:
    """The element type of an array; None where ONNX has none of it."""
    found = ELEMENTS.get(array.dtype)
    if found is _STRING:
        return _STRING if all(isinstance(item, str) for item in array.flat) else None
    if found is None and array.dtype.kind in "UT":
        return _STRING
    if found is None and not array.dtype.isnative:
        return ELEMENTS.get(array.dtype.newbyteorder("="))
    return found


def element_of_dtype(dtype: Any) -> ElementType | None:
    """The element type of a numpy dtype; None when ONNX has none."""
    if dtype.kind in "UT":
        return BY_NAME["string"]
    try:
        return BY_CODE.get(helper.np_dtype_to_tensor_dtype(dtype if dtype.isnative else dtype.newbyteorder("=")))
    except (ValueError, KeyError):
        return None


def python_number(scalar: np.generic) -> int | float | None:
    """The number that a scalar of numpy is to Python: float64 and int64 are what numpy's own functions give.

    None for a scalar of another type, which it keeps as a tensor does.
    """
    if scalar.dtype in _PYTHON_NUMBERS:
        number: int | float = scalar.item()
        return number
    return None


_PYTHON_NUMBERS = (np.dtype(np.float64), np.dtype(np.int64))


AXES = 64  # of an array of numpy, at most


def nests_too_deep(value: object) -> bool:
    """Whether lists and tuples nest deeper than an array has axes. A list may hold itself, and one list many times."""
    level = [value]
    for _ in range(AXES + 1):
        held = {id(item): item for item in level if isinstance(item, (list, tuple))}
        if not held:
            return False
        level = [item for items in held.values() for item in items]
    return True


def plain_values(value: object) -> object:
    """An attribute's value: scalars of numpy as numbers of Python, those in a list or tuple too, and arrays of one axis
    as lists of them, but for bools, which are no ints there; anything else as it is."""
    return [_plain_value(item) for item in value] if isinstance(value, (list, tuple)) else _plain_value(value)


def _plain_value(value: object) -> object:
    if is_masked(value):
        return value
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind != "b":
        return value.tolist()
    return value


def is_masked(value: object) -> bool:
    """Whether an array has a mask, which would be ignored."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(value, masked.MaskedArray)


def as_array(value: Any) -> Array:
    """A numpy array or scalar in the form that runtimes take: native byte order, strings as objects."""
    array = np.asarray(value)
    if array.dtype.kind in "UT":
        return array.astype(object)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
