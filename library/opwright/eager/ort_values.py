"""Arrays of the element types that onnxruntime's numpy binding does not know, by way of their memory.

bfloat16, the float8 types and everything narrower than a byte go in and out as `OrtValue`s whose bytes are copied;
two or more elements of a narrow type share a byte, as in a TensorProto.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from onnx import TensorProto, numpy_helper

from opwright.elements import BY_CODE, element
from opwright.graphs.ndarrays import Array

_FLOATS = ("float16", "float", "double")
_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_NATIVE = frozenset([*_FLOATS, *_INTEGERS, "bool", "string"])


def is_native(kind: str) -> bool:
    """Whether onnxruntime takes and gives numpy arrays of that element type."""
    return kind in _NATIVE


def to_value(onnxruntime: Any, array: Array, kind: str) -> Any:
    """An `OrtValue` of the array, of any type but string. It may share the array's memory."""
    if is_native(kind):
        return onnxruntime.OrtValue.ortvalue_from_numpy(array)
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(array.shape), element(kind).code)
    data = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape)).raw_data
    ctypes.memmove(value.data_ptr(), data, len(data))
    return value


def to_array(value: Any) -> Array:
    """A copy of an `OrtValue` as an array; the narrow types as `ml_dtypes`."""
    code = value.element_type()
    if is_native(BY_CODE[code].name):
        native: Array = value.numpy()
        return native
    data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes()) if 0 not in value.shape() else b""
    return numpy_helper.to_array(TensorProto(data_type=code, dims=value.shape(), raw_data=data))
