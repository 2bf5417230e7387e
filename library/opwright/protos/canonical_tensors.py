"""Tensors and types in canonical form: each as a pair (digest encoding, protobuf bytes).

A tensor's elements are one run of little-endian bytes, whichever field of the `TensorProto` held them, NaN payloads
and the sign of zero included. Names, docs, denotations and symbolic dimensions are dropped: they say nothing about
what is computed.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TypeVar

from onnx import AttributeProto, SparseTensorProto, TensorProto, TypeProto

from opwright.elements import BY_CODE, ElementType, pack_bits
from opwright.protos import wire
from opwright.protos.wire import chunk, varint

Encoded = tuple[bytes, bytes]
_M = TypeVar("_M", AttributeProto, TensorProto)

_STRING = TensorProto.STRING
_MOST_ELEMENTS = 1 << 40  # bounds the arithmetic; protobuf messages end at 2 GiB

# The field that holds the elements where `raw_data` does not, and its struct code; all other types: int32_data.
_TYPED_FIELDS: dict[int, tuple[str, str]] = {
    TensorProto.FLOAT: ("float_data", "f"),
    TensorProto.COMPLEX64: ("float_data", "f"),
    TensorProto.DOUBLE: ("double_data", "d"),
    TensorProto.COMPLEX128: ("double_data", "d"),
    TensorProto.INT64: ("int64_data", "q"),
    TensorProto.UINT32: ("uint64_data", "I"),
    TensorProto.UINT64: ("uint64_data", "Q"),
    TensorProto.INT8: ("int32_data", "b"),
    TensorProto.INT16: ("int32_data", "h"),
    TensorProto.INT32: ("int32_data", "i"),
}


class RefusedError(Exception):
    """What cannot be brought into canonical form, and why; the text completes a diagnostic's reason."""


def check_text(*names: object) -> None:
    """Protobuf gives strings that are not UTF-8 as bytes; a model that has such names is refused."""
    for name in names:
        if not isinstance(name, str):
            raise RefusedError(f"the name {name!r} is not UTF-8")


def encode_tensor(tensor: TensorProto, name: bytes = b"") -> Encoded:
    """`name` is the canonical name of an initializer; a tensor in an attribute has none."""
    element, dims, count = _checked(tensor)
    head = varint(tensor.data_type) + varint(len(dims)) + b"".join(map(varint, dims))
    fields = wire.repeated(wire.TENSOR_DIM, [varint(dim) for dim in dims]) + wire.TENSOR_TYPE + varint(tensor.data_type)
    named = wire.TENSOR_NAME + chunk(name) if name else b""
    if tensor.data_type == _STRING:
        if len(tensor.string_data) != count:
            raise RefusedError("a string tensor's dimensions do not fit its elements")
        strings = [chunk(item) for item in tensor.string_data]
        return head + b"".join(strings), fields + wire.repeated(wire.TENSOR_STRING, strings) + named
    data = chunk(_elements(tensor, element, count))
    return head + data, fields + named + wire.TENSOR_RAW + data


def elements_of_tensor(tensor: TensorProto) -> tuple[ElementType, tuple[int, ...], bytes | tuple[bytes, ...]]:
    """Element type, dimensions, and the elements: one run of little-endian bytes, strings one by one.

    Raises RefusedError as `encode_tensor` does.
    """
    element, dims, count = _checked(tensor)
    if tensor.data_type != _STRING:
        return element, dims, _elements(tensor, element, count)
    if len(tensor.string_data) != count:
        raise RefusedError("a string tensor's dimensions do not fit its elements")
    return element, dims, tuple(tensor.string_data)


def _checked(tensor: TensorProto) -> tuple[ElementType, tuple[int, ...], int]:
    """Element type, dimensions and number of elements of a tensor that lies in the message itself."""
    if tensor.data_location == TensorProto.EXTERNAL or tensor.external_data:
        raise RefusedError("a tensor keeps its elements in another file")
    if tensor.HasField("segment"):
        raise RefusedError("a tensor is stored in segments")
    element = BY_CODE.get(tensor.data_type)
    if element is None:
        raise RefusedError(f"a tensor has the unknown element type {tensor.data_type}")
    dims = tuple(tensor.dims)
    count = 0 if 0 in dims else 1
    for dim in dims:
        if dim < 0:
            raise RefusedError("a tensor has a negative dimension")
        count *= dim
        if count > _MOST_ELEMENTS:
            raise RefusedError("a tensor has more elements than can be stored")
    return element, dims, count


def _elements(tensor: TensorProto, element: ElementType, count: int) -> bytes:
    size = (count * element.bits + 7) // 8
    data = tensor.raw_data if tensor.HasField("raw_data") else _typed_elements(tensor)
    if len(data) != size:
        raise RefusedError(f"a tensor of {count} elements of type {element} has {len(data)} bytes instead of {size}")
    spare = -count * element.bits % 8
    if spare:  # elements below a byte: the last byte's unused bits mean nothing
        data = data[:-1] + bytes((data[-1] & 0xFF >> spare,))
    return data


_ONE_IN_EACH = 6  # bits of elements below a byte that do not share the numbers of a typed field


def _typed_elements(tensor: TensorProto) -> bytes:
    field, code = _TYPED_FIELDS.get(tensor.data_type, ("int32_data", ""))
    if code in ("f", "d"):
        return _packed_field(tensor, field)
    values = getattr(tensor, field)
    element = BY_CODE[tensor.data_type]
    if not code:  # a bit pattern in each number: booleans, small floats, elements below a byte
        code = "H" if element.bits == 16 else "B"
    try:
        data = struct.pack(f"<{len(values)}{code}", *values)
        if element.bits != _ONE_IN_EACH:
            return data
        if max(data, default=0) < 1 << _ONE_IN_EACH:
            return pack_bits(data, _ONE_IN_EACH)
        raise struct.error("bits that no element has")
    except struct.error:
        raise RefusedError(f"a tensor of type {element} has an element out of range") from None


def _packed_field(message: TensorProto, field: str) -> bytes:
    """The bytes of a packed field. Reading floats as Python numbers would quiet signalling NaNs."""
    data = only_field(message, field)
    start = 1
    while start < len(data) and data[start] & 128:
        start += 1
    return data[start + 1 :]


def only_field(message: _M, field: str) -> bytes:
    """The message's serialisation with that field alone."""
    copy = type(message)()
    copy.CopyFrom(message)
    for descriptor, _ in message.ListFields():
        if descriptor.name != field:
            copy.ClearField(descriptor.name)
    copy.DiscardUnknownFields()
    data: bytes = copy.SerializeToString(deterministic=True)
    return data


def encode_sparse_tensor(sparse: SparseTensorProto, name: bytes = b"") -> Encoded:
    values = encode_tensor(sparse.values, name)
    indices = encode_tensor(sparse.indices)
    dims = [varint(dim) for dim in sparse.dims]
    return (
        chunk(values[0]) + chunk(indices[0]) + varint(len(dims)) + b"".join(dims),
        wire.SPARSE_VALUES
        + chunk(values[1])
        + wire.SPARSE_INDICES
        + chunk(indices[1])
        + wire.repeated(wire.SPARSE_DIM, dims),
    )


def encode_type(type_proto: TypeProto) -> Encoded:
    """Element types and fixed dimensions; a symbolic dimension is an unknown one."""
    kind = type_proto.WhichOneof("value")
    if kind == "tensor_type" or kind == "sparse_tensor_type":
        tag = b"\x0a" if kind == "tensor_type" else b"\x42"
        inner = _encode_tensor_type(getattr(type_proto, kind))
    elif kind == "sequence_type":
        tag, inner = b"\x22", _nested(b"\x0a", type_proto.sequence_type.elem_type)
    elif kind == "optional_type":
        tag, inner = b"\x4a", _nested(b"\x0a", type_proto.optional_type.elem_type)
    elif kind == "map_type":
        tag, value = b"\x2a", _nested(b"\x12", type_proto.map_type.value_type)
        key = b"\x08" + varint(type_proto.map_type.key_type)
        inner = (key + value[0], key + value[1])
    elif kind == "opaque_type":
        tag, opaque = b"\x3a", type_proto.opaque_type
        check_text(opaque.domain, opaque.name)
        domain, name = chunk(opaque.domain.encode()), chunk(opaque.name.encode())
        inner = (domain + name, b"\x0a" + domain + b"\x12" + name)
    else:
        raise RefusedError("a type says nothing")
    return tag + inner[0], tag + chunk(inner[1])


def _nested(tag: bytes, type_proto: TypeProto) -> Encoded:
    inner = encode_type(type_proto)
    return inner[0], tag + chunk(inner[1])


def _encode_tensor_type(tensor: TypeProto.Tensor | TypeProto.SparseTensor) -> Encoded:
    element = varint(tensor.elem_type)
    if not tensor.HasField("shape"):
        return element + b"\x00", b"\x08" + element
    known = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
    dims = b"".join(b"\x00" if dim is None else b"\x01" + varint(dim) for dim in known)
    shape = wire.repeated(b"\x0a", [chunk(b"" if dim is None else b"\x08" + varint(dim)) for dim in known])
    return element + b"\x01" + varint(len(known)) + dims, b"\x08" + element + b"\x12" + chunk(shape)


def join(encoded: Iterable[Encoded]) -> bytes:
    """The digest encoding of a list: its length, then each one behind its own."""
    parts = [chunk(item[0]) for item in encoded]
    return varint(len(parts)) + b"".join(parts)
