"""Tensors and numbers as Python text that the compiler reads back to the same bits."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from onnx import AttributeProto, TensorProto, numpy_helper

from opwright.decompiler.refuse import refuse
from opwright.elements import BY_CODE, BY_NAME, ElementType, pack_bits
from opwright.lang.meaning.rounding import pack

MOST_INLINE = 32  # elements of a tensor that stands in the text
_MOST_LETTERS = 72  # of one that stands where it is used
_DEFAULTS = frozenset(["float", "int64", "bool", "string"])  # what literals are where they meet no tensor
_FLOAT, _INT64 = struct.Struct("<f"), struct.Struct("<q")
_FORMATS = {int(TensorProto.FLOAT): _FLOAT, int(TensorProto.INT64): _INT64}
_FLOAT_TYPE, _INT64_TYPE = BY_NAME["float"], BY_NAME["int64"]
_NUMPY_TYPES = {"float": "np.float32", "double": "np.float64", "bool": "np.bool_", "string": "object"}
_ML_TYPES = {
    "bfloat16": "bfloat16",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "float4e2m1": "float4_e2m1fn",
    "float6e2m3": "float6_e2m3fn",
    "float6e3m2": "float6_e3m2fn",
    "int4": "int4",
    "uint4": "uint4",
    "int2": "int2",
    "uint2": "uint2",
}


class Constant:
    """A tensor that is known. `text` is it as nested lists of numbers or texts, which take their element type from
    where they stand; None where there is no such form. `literal` is that where it is short, and `default`: with nothing
    there it has this type."""

    __slots__ = ("_array", "_number", "default", "element", "is_scalar", "literal", "text")

    def __init__(self, array: Any, element: ElementType) -> None:
        self._array = array
        self._number: int | float = 0  # that the array is made of
        self.element = element
        self.is_scalar = not array.shape
        self.text = _text(array, element)
        self.literal = self.text if self.text is not None and len(self.text) <= _MOST_LETTERS else None
        self.default = self.literal is not None and element.name in _DEFAULTS and bool(array.size)

    @classmethod
    def of_number(cls, number: int | float, element: ElementType) -> Constant:
        """A tensor of rank 0: a finite number of float or an int64, most of the constants of many models. Its array is
        made when it is asked for."""
        made = cls.__new__(cls)
        made._array, made._number, made.element, made.is_scalar, made.default = None, number, element, True, True
        made.text = made.literal = repr(number) if element.is_integer else float_text(number)
        return made

    @property
    def array(self) -> Any:
        if self._array is None:
            self._array = np.array(self._number, np.int64 if self.element.is_integer else np.float32)
        return self._array

    @property
    def is_long(self) -> bool:
        """Whether the text is no literal for its length alone."""
        return self.text is not None and self.literal is None


def constant_of(tensor: TensorProto) -> Constant:
    """A tensor whose data stand in the proto. DiagnosticError where they do not, or are malformed."""
    element = BY_CODE.get(tensor.data_type)
    if element is None:
        raise refuse(f"the tensor {tensor.name!r} has no element type", "a script cannot say what it is")
    if tensor.data_location == TensorProto.EXTERNAL:
        help_ = "load them with the model: `onnx.load` does"
        raise refuse(f"the elements of the tensor {tensor.name!r} are not there", "they lie in another file", help_)
    if not tensor.dims:
        number = _number(tensor)
        if number is not None:
            return Constant.of_number(number, element)
    try:
        return Constant(numpy_helper.to_array(tensor), element)
    except (ValueError, TypeError):
        reason = f"its data are not {math.prod(tensor.dims)} elements of {element.name}"
        raise refuse(f"the tensor {tensor.name!r} cannot be read", reason) from None


def constant_of_number(attribute: bytes) -> Constant | None:
    """The same of the attribute `value` of a Constant, serialized, where that is a finite float or an int64 of rank 0;
    None of any other."""
    found = _number_value().fullmatch(attribute)
    if found is None:
        return None
    data: bytes = found[found.lastindex or 0]
    element, format_ = (_FLOAT_TYPE, _FLOAT) if len(data) == _FLOAT.size else (_INT64_TYPE, _INT64)
    number: int | float = format_.unpack(data)[0]
    return Constant.of_number(number, element) if math.isfinite(number) else None


@cache
def _number_value() -> re.Pattern[bytes]:
    """The attribute as protobuf writes it: the tensor's name may be said to be empty, its element stand in either
    field."""
    float_ = rb"\x08\x10\x01[\x22\x4a]\x04(.{4})|\x0a\x10\x01(?:\x22\x04(.{4})\x42\x00|\x42\x00\x4a\x04(.{4}))"
    int64 = rb"\x0c\x10\x07\x4a\x08(.{8})|\x0e\x10\x07\x42\x00\x4a\x08(.{8})"
    return re.compile(rb"\x0a\x05value\x2a(?:%b|%b)\xa0\x01\x04" % (float_, int64), re.DOTALL)


def _number(tensor: TensorProto) -> int | float | None:
    """The element of a tensor of rank 0 and the type int64, or float where that is finite; None of any other."""
    format_ = _FORMATS.get(tensor.data_type)
    if format_ is None or tensor.HasField("segment"):
        return None
    data = tensor.raw_data
    if data:
        number: int | float = format_.unpack(data)[0] if len(data) == format_.size else math.nan
    else:
        items: Sequence[int | float] = tensor.float_data if format_ is _FLOAT else tensor.int64_data
        number = items[0] if len(items) == 1 else math.nan
    return number if math.isfinite(number) else None


def constant_value(attribute: AttributeProto) -> Constant | None:
    """The tensor that a Constant's only attribute says, `value`, `value_floats` and so on; None where it says none."""
    try:
        match attribute.name:
            case "value":
                return constant_of(attribute.t)
            case "value_int":
                return Constant(np.array(attribute.i, np.int64), BY_NAME["int64"])
            case "value_ints":
                return Constant(np.array(attribute.ints, np.int64), BY_NAME["int64"])
            case "value_float":
                return Constant(np.array(attribute.f, np.float32), BY_NAME["float"])
            case "value_floats":
                return Constant(np.array(attribute.floats, np.float32), BY_NAME["float"])
            case "value_string":
                return Constant(np.array(attribute.s.decode(), object), BY_NAME["string"])
            case "value_strings":
                return Constant(np.array([item.decode() for item in attribute.strings], object), BY_NAME["string"])
    except UnicodeDecodeError:
        raise refuse("a constant text cannot be written", "it is not in UTF-8") from None
    return None


# ------------------------------------------------------------------------------------------------------- numbers


def float_text(value: float) -> str:
    """The shortest text that is this number once it is rounded to float32."""
    if not math.isfinite(value):
        return "math.nan" if value != value else "math.inf" if value > 0 else "-math.inf"
    text = str(np.float32(value))
    return repr(float(text)) if "e" in text else text  # Python writes fewer numbers with an exponent


def has_text(value: float) -> bool:
    """Whether `float_text` says all bits of a float32: it does not of a nan with a sign or payload."""
    return value == value or np.float32(value).tobytes() == np.float32(math.nan).tobytes()


def quoted(text: str) -> str:
    """A text as Python writes it, in double quotes where that takes no more."""
    single = repr(text)
    if single[0] == '"':
        return single
    doubles = text.count('"')
    if doubles > text.count("'"):
        return single
    inner = single[1:-1] if not doubles else single[1:-1].replace("\\'", "'").replace('"', '\\"')
    return f'"{inner}"'


def texts_of(values: Sequence[Any], make: Any) -> str:
    return f"[{', '.join(map(make, values))}]"


def _text(array: Any, element: ElementType) -> str | None:
    if array.size > MOST_INLINE or element.kind == "complex" or (not array.size and array.ndim != 1):
        return None
    flat = array.ravel()
    if element.kind == "string":
        items = [item.decode() if isinstance(item, bytes) else str(item) for item in flat]
        return _nested([quoted(item) for item in items], array.shape)
    if element.kind == "bool":
        return _nested([repr(bool(item)) for item in flat], array.shape)
    if element.is_integer:
        return _nested([repr(int(item)) for item in flat], array.shape)
    texts = [_element_text(item, element) for item in flat]
    return None if None in texts else _nested([text for text in texts if text is not None], array.shape)


def _element_text(item: Any, element: ElementType) -> str | None:
    """The shortest text that is this element again; None for a nan of other bits than Python's own."""
    value = float(item)
    bits = item.tobytes()
    if not math.isfinite(value):
        text = "math.nan" if value != value else "math.inf" if value > 0 else "-math.inf"
        meant = math.nan if value != value else value  # whose sign and payload the text does not have
        return text if pack(meant, element) == bits else None
    if element.name == "double":
        return repr(value)
    if element.name == "float":
        return float_text(value)
    short = float(str(item))
    for candidate in (short, value):
        if pack(candidate, element) == bits:
            return repr(candidate)
    return None


def _nested(texts: list[str], dims: Sequence[int]) -> str:
    for size in reversed(dims):
        if not size:
            return "[]"
        texts = [f"[{', '.join(texts[index : index + size])}]" for index in range(0, len(texts), size)]
    return texts[0]


# -------------------------------------------------------------------------------------------------------- arrays


def dtype_text(element: ElementType) -> str:
    """The numpy type of the element type, as text."""
    small = _ML_TYPES.get(element.name)
    return f"ml_dtypes.{small}" if small is not None else _NUMPY_TYPES.get(element.name, f"np.{element.name}")


def array_text(constant: Constant) -> str:
    """A numpy array of the tensor's type, as an expression."""
    array, element = constant.array, constant.element
    dtype = dtype_text(element)
    if not array.size:
        return f"np.zeros({tuple(array.shape)!r}, {dtype})"
    if element.kind == "complex":
        items = [repr(complex(item)) for item in array.ravel()]
        parts = np.stack([array.real, array.imag])
        if np.isfinite(parts).all() and not (np.signbit(parts) & (parts == 0)).any():
            return f"np.array({_nested(items, array.shape)}, {dtype})"
    if constant.text is not None and element.is_float and element.bits < 32:
        return f"np.array({constant.text}, np.float64).astype({dtype})"
    if constant.text is not None:
        return f"np.array({constant.text}, {dtype})"
    bits = f"np.uint{max(8, element.bits)}" if element.kind != "complex" else "np.uint32"
    numbers = np.ascontiguousarray(array).view(bits[3:] if element.kind != "complex" else "uint32").ravel()
    shape = "" if array.ndim == 1 else f".reshape({tuple(array.shape)!r})"
    return f"np.array({[int(item) for item in numbers]!r}, {bits}).view({dtype}){shape}"


def packed(array: Any, element: ElementType) -> bytes:
    """The bytes of the elements as a tensor holds them."""
    data: bytes = array.tobytes()
    return pack_bits(data, element.bits) if element.bits < 8 else data
