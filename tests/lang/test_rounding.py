"""Numbers to bytes, against numpy and ml_dtypes."""

from __future__ import annotations

import math
import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opwright.elements import BY_NAME
from opwright.lang.meaning.rounding import DoesNotFitError, float_bits, pack, survives_float32, to_float32

NUMPY = {"float16": np.float16, "float": np.float32, "double": np.float64}


@given(st.floats(allow_nan=False), st.sampled_from(sorted(NUMPY)))
def test_a_float_rounds_as_numpy_rounds_a_double(value: float, name: str) -> None:
    with np.errstate(over="ignore"):
        expected = np.float64(value).astype(NUMPY[name]).tobytes()
    assert pack(value, BY_NAME[name]) == expected


@given(st.integers(-(1 << 70), 1 << 70))
def test_an_integer_rounds_once(value: int) -> None:
    """Through a double it would round twice; numpy has no such path, so the judge is exact arithmetic."""
    got = np.frombuffer(pack(value, BY_NAME["float"]), np.float32)[0]
    below, above = np.nextafter(got, np.float32(-np.inf)), np.nextafter(got, np.float32(np.inf))
    distance = abs(int(got) - value)
    assert distance <= abs(int(below) - value) and distance <= abs(int(above) - value)
    if distance and distance in (abs(int(below) - value), abs(int(above) - value)):
        assert struct.unpack("<I", struct.pack("<f", got))[0] % 2 == 0


@given(st.floats(width=32, allow_nan=False))
def test_bfloat16_rounds_as_its_companion_type(value: float) -> None:
    assert pack(value, BY_NAME["bfloat16"]) == np.float32(value).astype(ml_dtypes.bfloat16).tobytes()


@given(st.floats(-20, 20), st.floats(1, 2), st.sampled_from((-1, 1)), st.sampled_from(("float16", "bfloat16")))
def test_ordinary_numbers_round_as_exact_arithmetic_says(
    exponent: float, mantissa: float, sign: int, name: str
) -> None:
    """Halfway between two of the type, and one step of a double beside that, included."""
    element = BY_NAME[name]
    halfway = math.ldexp(round(math.ldexp(mantissa, element.precision)) | 1, math.floor(exponent) - element.precision)
    for value in (
        math.ldexp(mantissa, math.floor(exponent)),
        halfway,
        math.nextafter(halfway, 0),
        halfway * (1 + 2**-52),
    ):
        value *= sign
        assert pack(value, element) == float_bits(value, element).to_bytes(2, "little"), value


def test_bfloat16_rounds_once_where_two_steps_would_differ() -> None:
    value = 1 + 2**-8 + 2**-40  # just above the middle; through float32 it lands on the middle and then on even
    assert float_bits(value, BY_NAME["bfloat16"]) == 0x3F81
    assert not survives_float32(value, BY_NAME["bfloat16"])
    assert survives_float32(0.5, BY_NAME["bfloat16"])


@given(
    st.integers(1, 1 << 13),
    st.integers(-27, 3),
    st.sampled_from((0, 1, -1)),
    st.integers(20, 52),
    st.sampled_from([name for name, item in BY_NAME.items() if item.kind == "float" and item.bits < 32]),
)
def test_what_survives_float32_is_what_rounds_alike(number: int, power: int, sign: int, near: int, name: str) -> None:
    """Of numbers beside those of few bits, where types begin to round otherwise."""
    value = math.ldexp(number, power) * (1 + sign * 2.0**-near)
    element = BY_NAME[name]
    assert survives_float32(value, element) == (pack(to_float32(value), element) == pack(value, element))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float", "double"])
def test_special_values(name: str) -> None:
    element = BY_NAME[name]
    top = 1 << (element.bits - 1)
    assert float_bits(-0.0, element) == top
    assert float_bits(0, element) == 0
    infinity = float_bits(math.inf, element)
    assert float_bits(-math.inf, element) == infinity | top
    assert float_bits(math.nan, element) > infinity
    if name != "double":
        assert float_bits(1e300, element) == infinity


@pytest.mark.parametrize("bits", [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000020000000, 0xFFFFFFFFFFFFFFFF])
def test_a_nan_keeps_its_sign_and_payload(bits: int) -> None:
    value = np.uint64(bits).view(np.float64)
    assert pack(float(value), BY_NAME["float"]) == value.astype(np.float32).tobytes()
    assert float_bits(float(value), BY_NAME["bfloat16"]) == int(value.astype(np.float32).view(np.uint32)) >> 16


@pytest.mark.parametrize(
    ("value", "name"), [(256, "uint8"), (-1, "uint64"), (0.5, "int32"), (math.inf, "int8"), (2, "bool")]
)
def test_what_has_no_place_in_a_type_is_refused(value: float, name: str) -> None:
    with pytest.raises(DoesNotFitError):
        pack(value, BY_NAME[name])


def test_integers_and_bools() -> None:
    assert pack(-2, BY_NAME["int16"]) == struct.pack("<h", -2)
    assert pack(3.0, BY_NAME["uint32"]) == struct.pack("<I", 3)
    assert pack(True, BY_NAME["bool"]) == b"\x01"
    assert pack(-1, BY_NAME["int4"]) == b"\x0f"


def test_float32_attributes() -> None:
    assert to_float32(0.1) == float(np.float32(0.1))
    assert to_float32(1e300) == math.inf
