from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright.elements import element
from opwright.graphs.ndarrays import DTYPES
from opwright_build.verify.cases.exact_rounding import (
    ROUNDED,
    NotRepresentable,
    integers,
    round_floats,
    truncate_to_integers,
)

NARROW = sorted(ROUNDED)


def values_of(name: str) -> list[float]:
    """Every finite value of a type of at most 16 bits that is not negative, ascending."""
    dtype = DTYPES[element(name)]
    bits = np.arange(1 << 8 * dtype.itemsize, dtype=f"u{dtype.itemsize}").view(dtype).astype(np.float64)
    return sorted({float(value) for value in bits if np.isfinite(value) and value >= 0})


def nearest(name: str, value: float, ascending: list[float]) -> float:
    """The definition of rounding to nearest, ties to even, by exact fractions over all values of the type."""
    magnitude = Fraction(abs(value))
    below = max((item for item in ascending if Fraction(item) <= magnitude), default=0.0)
    above = min((item for item in ascending if Fraction(item) >= magnitude), default=None)
    if above is None:  # beyond the largest: it is still that value while closer than half a step
        step = Fraction(ascending[-1]) - Fraction(ascending[-2])
        tie = Fraction(ascending[-1]) + step / 2
        odd = (Fraction(ascending[-1]) / step) % 2 == 1
        if magnitude < tie or (magnitude == tie and not odd):
            return float(np.copysign(ascending[-1], value))
        return float(np.copysign(np.inf, value))
    low, high = magnitude - Fraction(below), Fraction(above) - magnitude
    if low == high and below != above:
        step = Fraction(above) - Fraction(below)
        chosen = below if (Fraction(below) / step) % 2 == 0 else above
    else:
        chosen = below if low <= high else above
    return float(np.copysign(chosen, value))


@pytest.mark.parametrize("name", [name for name in NARROW if name.startswith("float8")])
def test_small_types_around_every_value_and_tie(name: str) -> None:
    ascending = values_of(name)
    ties = [(a + b) / 2 for a, b in pairwise(ascending)]
    around = [other for tie in [*ties, *ascending] for other in (tie, np.nextafter(tie, 9e9), np.nextafter(tie, -1.0))]
    around += [ascending[-1] * factor for factor in (1.01, 1.05, 1.07, 1.2, 2.0, 1e30)]
    values = np.array([*around, *(-value for value in around)])
    got = round_floats(values, element(name)).astype(np.float64)
    wanted = [nearest(name, float(value), ascending) for value in values]
    infinite = "e5m2" in name and not name.endswith("fnuz")
    for value, result, exact in zip(values, got, wanted, strict=True):
        if np.isinf(exact) and not infinite:
            assert np.isnan(result), value
        else:
            assert result == exact, value


@given(
    st.sampled_from(["float16", "bfloat16"]),
    st.integers(0, 0x7FFF),
    st.one_of(st.just(0.5), st.floats(0.0, 1.0)),
    st.integers(-2, 2),
    st.sampled_from([1.0, -1.0]),
)
@settings(max_examples=400, deadline=None)
def test_half_types_between_two_values(name: str, bits: int, part: float, nudge: int, sign: float) -> None:
    """A float64 between two neighbours of the type, most often at their tie or a hair beside it."""
    dtype = DTYPES[element(name)]
    low, high = (float(np.array([b], dtype=np.uint16).view(dtype).astype(np.float64)[0]) for b in (bits, bits + 1))
    if not np.isfinite(low) or not np.isfinite(high):
        return
    value = low + (high - low) * part
    for _ in range(abs(nudge)):
        value = float(np.nextafter(value, np.inf if nudge > 0 else -np.inf))
    value = min(max(value, low), high)
    to_low, to_high = Fraction(value) - Fraction(low), Fraction(high) - Fraction(value)
    goes_down = bits % 2 == 0 if to_low == to_high else to_low < to_high
    expected = low if goes_down else high
    rounded = round_floats(np.array([sign * value]), element(name)).astype(np.float64)[0]
    assert rounded == sign * expected


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_types_at_their_largest_value(name: str) -> None:
    largest = float(ml_dtypes.finfo(DTYPES[element(name)]).max)
    tie = largest + largest / (2 ** element(name).precision - 1) / 2
    values = np.array([largest, np.nextafter(tie, 0.0), tie, -tie])
    assert round_floats(values, element(name)).astype(np.float64).tolist() == [largest, largest, np.inf, -np.inf]


@pytest.mark.parametrize("name", NARROW)
def test_from_float_as_ml_dtypes_does(name: str) -> None:
    """From float there is one rounding in ml_dtypes and numpy too; so there we must agree, bit by bit."""
    generator = np.random.Generator(np.random.Philox(1))
    bits = generator.integers(0, 1 << 32, 20_000, dtype=np.uint64).astype(np.uint32)
    values = bits.view(np.float32)
    scaled = generator.standard_normal(20_000).astype(np.float32) * np.float32(4.0) ** generator.integers(-9, 9, 20_000)
    for sample in (values, scaled.astype(np.float32)):
        with np.errstate(all="ignore"):
            theirs = sample.astype(DTYPES[element(name)])
            ours = round_floats(sample.astype(np.float64), element(name))
        known = ~np.isnan(theirs.astype(np.float32))
        unsigned = f"u{theirs.dtype.itemsize}"
        assert np.array_equal(ours[known].view(unsigned), theirs[known].view(unsigned))
        assert np.isnan(ours[~known].astype(np.float32)).all()


def test_no_double_rounding() -> None:
    tie_in_float = 1.0 + 2.0**-11 + 2.0**-40
    assert float(round_floats(np.array([tie_in_float]), element("float16"))[0]) == 1.0 + 2.0**-10
    assert float(np.float16(np.float32(tie_in_float))) == 1.0
    tie_in_float = 1.0 + 2.0**-8 + 2.0**-40
    assert float(round_floats(np.array([tie_in_float]), element("bfloat16"))[0]) == 1.0 + 2.0**-7
    assert float(np.array([tie_in_float]).astype(ml_dtypes.bfloat16)[0]) == 1.0


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float", "double"])
def test_special_values(name: str) -> None:
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e300 if name != "double" else 1.0, -5e-324])
    result = round_floats(values, element(name)).astype(np.float64)
    assert np.isnan(result[0])
    assert result[1:3].tolist() == [np.inf, -np.inf]
    assert np.signbit(result[3:5]).tolist() == [True, False]
    assert result[5] == (1.0 if name == "double" else np.inf)
    assert np.signbit(result[6])


def test_shapes_are_kept() -> None:
    for shape in ((), (0, 3), (2, 1)):
        assert round_floats(np.zeros(shape), element("bfloat16")).shape == shape
        assert truncate_to_integers(np.zeros(shape), element("int8")).shape == shape


def test_integers_are_cut_towards_zero() -> None:
    values = np.array([1.99, -1.99, 0.5, -0.5, 127.9])
    assert truncate_to_integers(values, element("int8")).tolist() == [1, -1, 0, 0, 127]
    assert truncate_to_integers(np.array([2**63 + 1], dtype=np.uint64), element("uint64")).tolist() == [2**63 + 1]
    assert truncate_to_integers(np.array([7]), element("int4")).dtype == DTYPES[element("int4")]


@pytest.mark.parametrize(
    ("value", "name"), [(np.nan, "int32"), (np.inf, "int64"), (128.0, "int8"), (-1.0, "uint8"), (2.0**63, "int64")]
)
def test_what_no_integer_is(value: float, name: str) -> None:
    with pytest.raises(NotRepresentable):
        truncate_to_integers(np.array([value]), element(name))


def test_limits_of_integer_types() -> None:
    for name in ("int8", "uint16", "int64", "uint64", "uint4", "int2"):
        kind = element(name)
        assert [int(item) for item in integers([kind.minimum, kind.maximum], (2,), kind)] == [
            kind.minimum,
            kind.maximum,
        ]
        for value in (kind.minimum - 1, kind.maximum + 1):
            with pytest.raises(NotRepresentable):
                integers([value], (1,), kind)


@pytest.mark.parametrize(
    ("name", "held", "lost"),
    [
        ("float4e2m1", [0.0, 0.5, -6.0, 3.0], [0.25, 7.0, np.inf, np.nan]),
        ("float8e8m0", [0.5, 1.0, 2.0**127, np.nan], [0.0, 3.0, -1.0, np.inf]),
    ],
)
def test_types_without_ordinary_fractions(name: str, held: list[float], lost: list[float]) -> None:
    np.testing.assert_array_equal(round_floats(np.array(held), element(name)).astype(np.float64), held)
    for value in lost:
        with pytest.raises(NotRepresentable, match=f"is no {name}"):
            round_floats(np.array([value]), element(name))
