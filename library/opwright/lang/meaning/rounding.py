"""Numbers to the bytes of an element type: rounded once, to nearest, ties to even, on every platform alike."""

from __future__ import annotations

import math
import struct

from opwright.elements import BY_NAME, ElementType

# (exponent of the least normal number, exponent of the greatest) by name; the significand's bits are in the element.
_EXPONENTS = {"float16": (-14, 15), "bfloat16": (-126, 127), "float": (-126, 127), "double": (-1022, 1023)}
_INTEGER_FORMATS = {8: "b", 16: "h", 32: "i", 64: "q"}


class DoesNotFitError(Exception):
    """The number has no value of the type: a fraction or an integer out of range. The text says which."""


def pack(value: bool | int | float | str, element: ElementType) -> bytes:
    """The little-endian bytes of one number in that element type; DoesNotFitError where it has no place there."""
    if isinstance(value, str):
        raise DoesNotFitError(f"{value!r} is text, which {element.name} tensors cannot hold")
    if element.kind == "float":
        return _pack_float(value, element)
    if element.is_integer:
        return _pack_integer(value, element)
    if element.kind == "bool":
        if not isinstance(value, bool):
            raise DoesNotFitError(f"{value!r} is a number, and bool tensors hold True and False")
        return b"\x01" if value else b"\x00"
    raise DoesNotFitError(f"{value!r} cannot be an element of type {element.name}")


def _pack_integer(value: bool | int | float, element: ElementType) -> bytes:
    if isinstance(value, float):
        if not math.isfinite(value) or not value.is_integer():
            raise DoesNotFitError(f"{value!r} is not an integer, and {element.name} holds integers only")
        value = int(value)
    if not element.minimum <= value <= element.maximum:
        raise DoesNotFitError(f"{value} is outside {element.name}, which holds {element.minimum} to {element.maximum}")
    if element.bits < 8:
        return struct.pack("<B", int(value) & (1 << element.bits) - 1)
    code = _INTEGER_FORMATS[element.bits]
    return struct.pack("<" + (code.upper() if element.kind == "uint" else code), value)


_SAFE_FLOAT = 1e38  # no rounding makes what is below an infinity


def _pack_float(value: bool | int | float, element: ElementType) -> bytes:
    if element.name == "double" and isinstance(value, float):
        return struct.pack("<d", value)
    if element.name == "float" and isinstance(value, float) and abs(value) < _SAFE_FLOAT:
        return struct.pack("<f", value)  # rounds to nearest, ties to even
    if element.name not in _EXPONENTS:
        return _pack_small_float(value, element)
    if isinstance(value, float) and _ORDINARY < abs(value) < 1 / _ORDINARY:
        return struct.pack("<e", value) if element.name == "float16" else _bfloat16(value)
    bits = float_bits(value, element)
    return bits.to_bytes(element.bits // 8, "little")


_ORDINARY = 2.0**-14  # from here to its inverse a number is normal in float16 and bfloat16


def _bfloat16(value: float) -> bytes:
    """An ordinary number: of the 52 bits of a double's fraction 7 are left, rounded to nearest, ties to even."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    kept = (bits + (1 << 44) - 1 + (bits >> 45 & 1)) >> 45
    return struct.pack("<H", (kept >> 18) << 15 | (kept & 0x3FFFF) - (896 << 7))  # exponents begin at another number


_DOUBLE_FRACTION = 52  # bits


def float_bits(value: bool | int | float, element: ElementType) -> int:
    """The bit pattern of a number rounded once to an IEEE-like type (float16, bfloat16, float, double). A nan keeps its
    sign and what there is room for of its payload, as where processors convert it."""
    least, greatest = _EXPONENTS[element.name]
    fraction_bits = element.precision - 1
    sign = 1 if (math.copysign(1.0, value) if isinstance(value, float) else value) < 0 else 0
    top = sign << (element.bits - 1)
    infinity = ((greatest - least + 2) << fraction_bits) | top
    if isinstance(value, float) and math.isnan(value):
        payload = int.from_bytes(struct.pack("<d", value), "little") & (1 << _DOUBLE_FRACTION) - 1
        return infinity | 1 << (fraction_bits - 1) | payload >> (_DOUBLE_FRACTION - fraction_bits)
    if isinstance(value, float) and math.isinf(value):
        return infinity
    numerator, denominator = abs(value).as_integer_ratio()
    if numerator == 0:
        return top
    exponent = numerator.bit_length() - denominator.bit_length()
    if numerator << max(-exponent, 0) < denominator << max(exponent, 0):
        exponent -= 1
    exponent = max(exponent, least)
    shift = fraction_bits - exponent  # the significand is numerator / denominator * 2**shift, rounded
    numerator, denominator = numerator << max(shift, 0), denominator << max(-shift, 0)
    significand, rest = divmod(numerator, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and significand & 1):
        significand += 1
    if significand >> element.precision:
        significand, exponent = significand >> 1, exponent + 1
    if exponent > greatest:
        return infinity
    if not significand >> fraction_bits:
        return top | significand  # subnormal
    return top | ((exponent - least + 1) << fraction_bits) | (significand & ((1 << fraction_bits) - 1))


def _pack_small_float(value: bool | int | float, element: ElementType) -> bytes:
    """float8, float6 and float4: onnx's own companion types know their special values."""
    import ml_dtypes
    import numpy as np

    names = {
        "float8e4m3fn": "float8_e4m3fn",
        "float8e4m3fnuz": "float8_e4m3fnuz",
        "float8e5m2": "float8_e5m2",
        "float8e5m2fnuz": "float8_e5m2fnuz",
        "float8e8m0": "float8_e8m0fnu",
        "float4e2m1": "float4_e2m1fn",
        "float6e2m3": "float6_e2m3fn",
        "float6e3m2": "float6_e3m2fn",
    }
    return np.array(float(value), np.float64).astype(getattr(ml_dtypes, names[element.name])).tobytes()


def to_float32(value: float) -> float:
    """The value as a float32 attribute would hold it."""
    return float(struct.unpack("<f", _pack_float(value, BY_NAME["float"]))[0])


def survives_float32(value: bool | int | float, element: ElementType) -> bool:
    """Whether rounding to float32 first, as runtimes do on the way to a narrower type, gives the same element."""
    if element.kind != "float" or element.bits >= 32:
        return True
    if isinstance(value, float) and _ORDINARY < abs(value) < 1 / _ORDINARY:
        # Where narrower types begin to round otherwise lie numbers of 12 significant bits at most. A number is on the
        # same side of them before and after it is rounded to float32, unless it becomes one.
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        if bits & 0xFFF:
            return True
    try:
        return pack(to_float32(float(value)), element) == pack(value, element)
    except OverflowError:
        return False
