"""An attribute's value in canonical form: a pair (digest encoding, protobuf bytes), graphs excepted."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from onnx import AttributeProto

from opwright.protos import canonical_tensors, wire
from opwright.protos.canonical_tensors import Encoded, RefusedError, encode_sparse_tensor, encode_tensor, encode_type
from opwright.protos.wire import chunk, varint

_VALUE, _REFERENCE = b"\x00", b"\x01"


def encode_attribute(name: bytes, attribute: AttributeProto) -> Encoded:
    """An attribute with a value that is no graph; `name` is its name behind its length."""
    encode = _ENCODERS.get(attribute.type)
    if encode is None:
        raise RefusedError(f"the attribute {attribute.name} has no known type ({attribute.type})")
    encoding, fields = encode(attribute)
    return wrap(name, attribute.type, encoding, fields)


def wrap(name: bytes, kind: int, encoding: bytes, fields: bytes) -> Encoded:
    """A value as an attribute of that kind."""
    code = varint(kind)
    return name + _VALUE + code + encoding, wire.ATTRIBUTE_NAME + name + fields + wire.ATTRIBUTE_TYPE + code


def encode_reference(name: bytes, kind: int, target: bytes) -> Encoded:
    """An attribute that takes its value from the function's attribute `target` (its name behind its length)."""
    if not kind:
        raise RefusedError("an attribute that refers to one of the function has no type")
    code = varint(kind)
    fields = wire.ATTRIBUTE_NAME + name + wire.ATTRIBUTE_TYPE + code + wire.ATTRIBUTE_REFERENCE + target
    return name + _REFERENCE + code + target, fields


def _float(attribute: AttributeProto) -> Encoded:
    bits = struct.pack("<f", attribute.f) if attribute.f == attribute.f else _nan_bits(attribute, "f")
    return bits, wire.ATTRIBUTE_FLOAT + bits


def _floats(attribute: AttributeProto) -> Encoded:
    values = attribute.floats
    if any(value != value for value in values):
        bits = _nan_bits(attribute, "floats")
    else:
        bits = struct.pack(f"<{len(values)}f", *values)
    parts = [bits[start : start + 4] for start in range(0, len(bits), 4)]
    return varint(len(parts)) + bits, wire.repeated(wire.ATTRIBUTE_FLOATS, parts)


def _nan_bits(attribute: AttributeProto, field: str) -> bytes:
    """The bits of floats among which there are NaNs: reading those as Python numbers could change them."""
    data = canonical_tensors.only_field(attribute, field)
    return b"".join(data[start + 1 : start + 5] for start in range(0, len(data), 5))


def _int(attribute: AttributeProto) -> Encoded:
    number = varint(attribute.i)
    return number, wire.ATTRIBUTE_INT + number


def _ints(attribute: AttributeProto) -> Encoded:
    numbers = [varint(value) for value in attribute.ints]
    return varint(len(numbers)) + b"".join(numbers), wire.repeated(wire.ATTRIBUTE_INTS, numbers)


def _string(attribute: AttributeProto) -> Encoded:
    text = chunk(attribute.s)
    return text, wire.ATTRIBUTE_STRING + text


def _strings(attribute: AttributeProto) -> Encoded:
    texts = [chunk(text) for text in attribute.strings]
    return varint(len(texts)) + b"".join(texts), wire.repeated(wire.ATTRIBUTE_STRINGS, texts)


def _list(tag: bytes, encoded: Sequence[Encoded]) -> Encoded:
    return canonical_tensors.join(encoded), wire.repeated(tag, [chunk(item[1]) for item in encoded])


def _single(tag: bytes, encoded: Encoded) -> Encoded:
    return encoded[0], tag + chunk(encoded[1])


_ENCODERS: dict[int, Callable[[AttributeProto], Encoded]] = {
    AttributeProto.FLOAT: _float,
    AttributeProto.FLOATS: _floats,
    AttributeProto.INT: _int,
    AttributeProto.INTS: _ints,
    AttributeProto.STRING: _string,
    AttributeProto.STRINGS: _strings,
    AttributeProto.TENSOR: lambda a: _single(wire.ATTRIBUTE_TENSOR, encode_tensor(a.t)),
    AttributeProto.TENSORS: lambda a: _list(wire.ATTRIBUTE_TENSORS, [encode_tensor(item) for item in a.tensors]),
    AttributeProto.SPARSE_TENSOR: lambda a: _single(
        wire.ATTRIBUTE_SPARSE_TENSOR, encode_sparse_tensor(a.sparse_tensor)
    ),
    AttributeProto.SPARSE_TENSORS: lambda a: _list(
        wire.ATTRIBUTE_SPARSE_TENSORS, [encode_sparse_tensor(item) for item in a.sparse_tensors]
    ),
    AttributeProto.TYPE_PROTO: lambda a: _single(wire.ATTRIBUTE_TYPE_PROTO, encode_type(a.tp)),
    AttributeProto.TYPE_PROTOS: lambda a: _list(
        wire.ATTRIBUTE_TYPE_PROTOS, [encode_type(item) for item in a.type_protos]
    ),
}
