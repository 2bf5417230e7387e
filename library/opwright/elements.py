"""Element types: the one table of what a tensor's elements can be.

Names and codes are those of ONNX (`TensorProto.DataType`). This module is on the public import path, so it
imports nothing.
"""

from __future__ import annotations


class ElementType:
    """One ONNX element type.

    `name` is ONNX's own (`float`, `double`, `int64`); `code` its `TensorProto.DataType`; `bits` the width of one
    element; `kind` one of `float`, `int`, `uint`, `bool`, `string`, `complex`; `precision` the significand's bits,
    the hidden one included (floats alone, else 0).
    """

    __slots__ = ("bits", "code", "kind", "name", "precision")

    def __init__(self, name: str, code: int, bits: int, kind: str, precision: int = 0) -> None:
        self.name = name
        self.code = code
        self.bits = bits
        self.kind = kind
        self.precision = precision

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        """`x.dtype == FLOAT`: equal to itself, and to the classes that stand for it (ours and numpy's)."""
        return self is other or element_meant(other) is self

    __hash__ = object.__hash__

    def __reduce__(self) -> tuple[object, ...]:
        return (element, (self.name,))

    @property
    def mask(self) -> int:
        """The set of element types that holds it alone: a bit for each code."""
        return 1 << self.code

    @property
    def elements(self) -> tuple[ElementType, ...]:
        """The element types that it may turn out to be: itself alone."""
        return (self,)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def minimum(self) -> int:
        """The least value of an integer type."""
        return -(1 << (self.bits - 1)) if self.kind == "int" else 0

    @property
    def maximum(self) -> int:
        """The greatest value of an integer type."""
        return (1 << (self.bits - 1 if self.kind == "int" else self.bits)) - 1


_TABLE = (
    ElementType("float", 1, 32, "float", 24),
    ElementType("uint8", 2, 8, "uint"),
    ElementType("int8", 3, 8, "int"),
    ElementType("uint16", 4, 16, "uint"),
    ElementType("int16", 5, 16, "int"),
    ElementType("int32", 6, 32, "int"),
    ElementType("int64", 7, 64, "int"),
    ElementType("string", 8, 0, "string"),
    ElementType("bool", 9, 8, "bool"),
    ElementType("float16", 10, 16, "float", 11),
    ElementType("double", 11, 64, "float", 53),
    ElementType("uint32", 12, 32, "uint"),
    ElementType("uint64", 13, 64, "uint"),
    ElementType("complex64", 14, 64, "complex"),
    ElementType("complex128", 15, 128, "complex"),
    ElementType("bfloat16", 16, 16, "float", 8),
    ElementType("float8e4m3fn", 17, 8, "float", 4),
    ElementType("float8e4m3fnuz", 18, 8, "float", 4),
    ElementType("float8e5m2", 19, 8, "float", 3),
    ElementType("float8e5m2fnuz", 20, 8, "float", 3),
    ElementType("uint4", 21, 4, "uint"),
    ElementType("int4", 22, 4, "int"),
    ElementType("float4e2m1", 23, 4, "float", 2),
    ElementType("float8e8m0", 24, 8, "float", 1),
    ElementType("uint2", 25, 2, "uint"),
    ElementType("int2", 26, 2, "int"),
    ElementType("float6e2m3", 27, 6, "float", 4),
    ElementType("float6e3m2", 28, 6, "float", 3),
)

BY_NAME: dict[str, ElementType] = {entry.name: entry for entry in _TABLE}
BY_CODE: dict[int, ElementType] = {entry.code: entry for entry in _TABLE}


def element(name: str) -> ElementType:
    """The element type of that ONNX name; KeyError when ONNX has none of it."""
    return BY_NAME[name]


def pack_bits(items: bytes, bits: int) -> bytes:
    """Elements below a byte, one in each byte, as tensors store them: one after the other, lowest bits first."""
    packed, held, count, mask = bytearray(), 0, 0, (1 << bits) - 1
    for item in items:
        held |= (item & mask) << count
        count += bits
        if count >= 8:
            packed.append(held & 0xFF)
            held, count = held >> 8, count - 8
    if count:
        packed.append(held)
    return bytes(packed)


_NUMPY_NAMES = {
    "float32": "float",
    "float64": "double",
    "bool_": "bool",
    "str_": "string",
    "object_": "string",
    "intc": "int32",  # numpy has a class for each type of C, of which two have one size
    "uintc": "uint32",
    "longlong": "int64",
    "ulonglong": "uint64",
    "float8_e4m3fn": "float8e4m3fn",  # from here on those of ml_dtypes
    "float8_e4m3fnuz": "float8e4m3fnuz",
    "float8_e5m2": "float8e5m2",
    "float8_e5m2fnuz": "float8e5m2fnuz",
    "float8_e8m0fnu": "float8e8m0",
    "float4_e2m1fn": "float4e2m1",
    "float6_e2m3fn": "float6e2m3",
    "float6_e3m2fn": "float6e3m2",
}


def element_meant(value: object) -> ElementType | None:
    """The element type that a value is or stands for: `FLOAT[...]`, `numpy.float32`, `ml_dtypes.bfloat16`, a dtype of
    numpy; None for anything else."""
    if isinstance(value, ElementType):
        return value
    class_ = value
    if not isinstance(class_, type):
        # The class of a dtype is one of `numpy.dtypes`, or `numpy.dtype` of what another package adds.
        class_ = getattr(value, "type", None) if type(value).__module__.partition(".")[0] == "numpy" else None
        if not isinstance(class_, type):
            return None
    found = getattr(class_, "dtype", None)
    if isinstance(found, ElementType):
        return found
    if class_.__module__ in ("numpy", "ml_dtypes"):
        name = class_.__name__
        return BY_NAME.get(_NUMPY_NAMES.get(name, name))
    return None


def fits_size(number: int) -> bool:
    """Whether a tensor can have so many items along an axis, as ONNX writes it down."""
    return 0 <= number < 1 << 63
