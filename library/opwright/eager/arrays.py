"""Concrete values: numpy arrays for tensors, lists of them for sequences, None for an optional without a value."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from opwright.elements import BY_NAME
from opwright.graphs.ndarrays import DTYPES, Array, element_of
from opwright.lang import ir

Data = Any  # Array | list[Data] | None
_STRING = BY_NAME["string"]


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
        first = type_of(data[0], known) if data else known  # all are of one element type
        return ir.SequenceType(ir.TensorType(first.element) if isinstance(first, ir.TensorType) else first)
    if data is None:
        return expected
    element = element_of(data)
    return ir.UnknownType() if element is None else ir.TensorType(element, data.shape)
