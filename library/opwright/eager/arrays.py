"""Concrete values: numpy arrays for tensors, lists of them for sequences, None for an optional without a value."""

from __future__ import annotations

import functools
import sys
from typing import Any

import ml_dtypes
import numpy as np

from opwright.elements import BY_NAME, ElementType
from opwright.lang import ir

Array = np.ndarray[Any, np.dtype[Any]]
Data = Any  # Array | list[Data] | None

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
_ELEMENTS: dict[np.dtype[Any], ElementType] = {dtype: item for item, dtype in DTYPES.items()}
_STRING = BY_NAME["string"]


def element_of(array: Array) -> ElementType | None:
    """The element type of an array; None where ONNX has none of it."""
    found = _ELEMENTS.get(array.dtype)
    if found is _STRING:
        return _STRING if all(isinstance(item, str) for item in array.flat) else None
    if found is None and array.dtype.kind in "UT":
        return _STRING
    if found is None and not array.dtype.isnative:
        return _ELEMENTS.get(array.dtype.newbyteorder("="))
    return found


def is_masked(value: object) -> bool:
    """Whether an array has a mask, at which nobody would look."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(value, masked.MaskedArray)


def as_array(value: Any) -> Array:
    """A numpy array or scalar in the form that runtimes take: native byte order, strings as objects."""
    array = np.asarray(value)
    if array.dtype.kind in "UT":
        return array.astype(object)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def array_of(data: ir.TensorData) -> Array:
    """A constant of the compiler as an array."""
    dtype = DTYPES[data.element]
    if isinstance(data.data, tuple):
        strings = np.empty(len(data.data), object)
        strings[:] = [item.decode() for item in data.data]
        return strings.reshape(data.dims)
    if data.element.bits >= 8:
        return np.frombuffer(data.data, dtype).reshape(data.dims)
    return _unpack(data, dtype)


def _unpack(data: ir.TensorData, dtype: np.dtype[Any]) -> Array:
    """Elements share bytes; the first has the lowest bits (see `elements.pack_bits`)."""
    assert isinstance(data.data, bytes)
    bits, count = data.element.bits, functools.reduce(int.__mul__, data.dims, 1)
    single = np.unpackbits(np.frombuffer(data.data, np.uint8), bitorder="little")[: count * bits]
    items = np.packbits(single.reshape(count, bits), axis=1, bitorder="little").ravel()
    if data.element.kind == "int":
        sign = 1 << bits - 1
        return ((items.astype(np.int8) ^ sign) - sign).astype(dtype).reshape(data.dims)
    return items.view(dtype).reshape(data.dims) if data.element.is_float else items.astype(dtype).reshape(data.dims)


def data_of(array: Array) -> ir.TensorData:
    """An array as a constant of the compiler."""
    element = element_of(array)
    assert element is not None
    if element is _STRING:
        return ir.TensorData(element, array.shape, tuple(str(item).encode() for item in array.ravel()))
    from onnx import numpy_helper

    little = np.ascontiguousarray(array).reshape(array.shape)
    return ir.TensorData(element, array.shape, numpy_helper.from_array(little).raw_data)


def type_of(data: Data, expected: ir.Type) -> ir.Type:
    """The type of a result, shape included; `expected` decides where the data do not."""
    if isinstance(expected, ir.OptionalType) or isinstance(data, dict):
        return expected
    if isinstance(data, list):
        known = expected.item if isinstance(expected, ir.SequenceType) else ir.UnknownType()
        items = [type_of(item, known) for item in data]
        first = items[0] if items else known
        return ir.SequenceType(ir.TensorType(first.element) if isinstance(first, ir.TensorType) else first)
    if data is None:
        return expected
    element = element_of(data)
    return ir.UnknownType() if element is None else ir.TensorType(element, data.shape)
