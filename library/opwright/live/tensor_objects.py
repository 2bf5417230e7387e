"""Tensors that Python objects hold: TensorProto of onnx and tensors of onnx_ir, as constants of the compiler."""

from __future__ import annotations

import sys
from typing import Any

from onnx import TensorProto, numpy_helper

from opwright.elements import BY_CODE
from opwright.lang import ir


def is_tensor_object(value: object) -> bool:
    """Whether it is a TensorProto, or a tensor of onnx_ir."""
    return isinstance(value, TensorProto) or _is_of_onnx_ir(value)


def _is_of_onnx_ir(value: object) -> bool:
    onnx_ir = sys.modules.get("onnx_ir")
    # Its protocol is one of attributes: a class that describes them for its objects has them too.
    return onnx_ir is not None and not isinstance(value, type) and isinstance(value, onnx_ir.TensorProtocol)


def tensor_data(value: Any) -> ir.TensorData | None:
    """Its elements; None where they lie in another file, or is of no element type that a constant has."""
    if isinstance(value, TensorProto):
        return _of_proto(value)
    element = BY_CODE.get(int(value.dtype))
    if element is None:
        return None
    dims = tuple(int(size) for size in value.shape)
    if element.kind == "string":
        return ir.TensorData(element, dims, tuple(_encoded(item) for item in value.numpy().ravel()))
    return ir.TensorData(element, dims, bytes(value.tobytes()))


def _encoded(item: object) -> bytes:
    return item if isinstance(item, bytes) else str(item).encode()


def _of_proto(value: TensorProto) -> ir.TensorData | None:
    element = BY_CODE.get(value.data_type)
    if element is None or value.data_location == TensorProto.EXTERNAL:
        return None
    dims = tuple(value.dims)
    if element.kind == "string":
        return ir.TensorData(element, dims, tuple(value.string_data))
    return ir.TensorData(element, dims, numpy_helper.from_array(numpy_helper.to_array(value)).raw_data)


def tensor_content(value: Any) -> object:
    """A copy of what may change in place in it."""
    if isinstance(value, TensorProto):
        return value.SerializeToString(deterministic=True)
    return (int(value.dtype), tuple(value.shape), bytes(value.tobytes()))
