"""Attributes of a node as keyword arguments."""

from __future__ import annotations

import struct

from onnx import AttributeProto

from opwright.decompiler.literal_text import constant_of
from opwright.decompiler.parts import Parts
from opwright.decompiler.refuse import refuse
from opwright.elements import BY_CODE

# Attributes that hold an element type.
_ELEMENT_TYPES = frozenset(["to", "dtype", "output_dtype", "output_datatype", "softmax_precision"])
_FLOAT, _INT, _STRING, _TENSOR, _FLOATS, _INTS, _STRINGS = (
    int(AttributeProto.AttributeType.Value(name))
    for name in ("FLOAT", "INT", "STRING", "TENSOR", "FLOATS", "INTS", "STRINGS")
)


def attribute_text(attribute: AttributeProto, kind: int, name: str, operator: str, parts: Parts) -> str:
    """The value of an attribute of that type and name, which is no graph, as an expression."""
    if parts.attribute_names and attribute.ref_attr_name:
        if attribute.ref_attr_name not in parts.attribute_names:
            raise refuse(
                f"`{name}` of {operator} cannot be written", f"no attribute {attribute.ref_attr_name!r} is there"
            )
        return parts.attribute_names[attribute.ref_attr_name]
    if kind == _FLOAT:
        return parts.number(attribute.f, name)
    if kind == _INT:
        value = attribute.i
        if name in _ELEMENT_TYPES and value in BY_CODE:
            return parts.type_name(BY_CODE[value])
        return repr(value)
    if kind == _INTS:
        return parts.ints(attribute.ints, name)
    if kind == _FLOATS:
        return parts.floats(attribute.floats, name)
    if kind == _STRING:
        return parts.text(_text(attribute.s, attribute, operator), name)
    if kind == _STRINGS:
        return parts.texts([_text(item, attribute, operator) for item in attribute.strings], name)
    if kind == _TENSOR:
        return parts.tensor_attribute(constant_of(attribute.t), operator)
    reason = f"it is of type {AttributeProto.AttributeType.Name(attribute.type)}"
    raise refuse(f"the attribute `{name}` of {operator} cannot be written", reason)


def named_float(plain: bytes) -> tuple[str, float] | None:
    """The name and value of a plain attribute, serialized, that is a float; None of others."""
    return (plain[2:-8].decode(), _SINGLE.unpack(plain[-7:-3])[0]) if plain[-1] == _FLOAT else None


_SINGLE = struct.Struct("<f")


def _text(value: bytes, attribute: AttributeProto, operator: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        message = f"the attribute `{attribute.name}` of {operator} cannot be written"
        raise refuse(message, "it is a text that is not in UTF-8") from None
