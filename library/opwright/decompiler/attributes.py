"""Attributes of a node as keyword arguments."""

from __future__ import annotations

from onnx import AttributeProto

from opwright.decompiler.literals import constant_of, float_text, quoted, texts_of
from opwright.decompiler.parts import Parts
from opwright.decompiler.refuse import refuse
from opwright.elements import BY_CODE

# Attributes that hold an element type.
_ELEMENT_TYPES = frozenset(["to", "dtype", "output_dtype", "output_datatype", "softmax_precision", "stash_type"])


def attribute_text(attribute: AttributeProto, operator: str, parts: Parts) -> str:
    """The value of an attribute that is no graph, as an expression."""
    kind = attribute.type
    if attribute.ref_attr_name:
        return parts.attribute_names[attribute.ref_attr_name]
    if kind == AttributeProto.INT:
        value = attribute.i
        if attribute.name in _ELEMENT_TYPES and value in BY_CODE and attribute.name != "stash_type":
            return parts.type_name(BY_CODE[value])
        return repr(value)
    if kind == AttributeProto.INTS:
        return repr(list(attribute.ints))
    if kind == AttributeProto.FLOAT:
        return float_text(attribute.f)
    if kind == AttributeProto.FLOATS:
        return texts_of(attribute.floats, float_text)
    if kind == AttributeProto.STRING:
        return quoted(_text(attribute.s, attribute, operator))
    if kind == AttributeProto.STRINGS:
        return texts_of([_text(item, attribute, operator) for item in attribute.strings], quoted)
    if kind == AttributeProto.TENSOR:
        return parts.tensor_attribute(constant_of(attribute.t), operator)
    name = AttributeProto.AttributeType.Name(kind)
    raise refuse(f"the attribute `{attribute.name}` of {operator} cannot be written", f"it is of type {name}")


def _text(value: bytes, attribute: AttributeProto, operator: str) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        message = f"the attribute `{attribute.name}` of {operator} cannot be written"
        raise refuse(message, "it is a text that is not in UTF-8") from None
