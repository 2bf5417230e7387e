"""Exact values to element types: one rounding, to nearest, ties to even, whatever the type.

A cast by way of float rounds twice: the float64 value 1 + 2**-11 + 2**-40 is the float16 1 + 2**-10, but as a float it
is 1 + 2**-11, a tie, and so ends as the float16 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
from opwright.elements import ElementType
from opwright.graphs.ndarrays import DTYPES

from opwright_build.verify.case_model import Array

# Overflow goes to infinity where the type has one, to nan where it has only that (as IEEE 754 and OCP say). The types
# below 8 bits have neither, and float8e8m0 holds powers of two alone: nothing is rounded to them.
_WITHOUT_INFINITY = frozenset({"float8e4m3fn", "float8e4m3fnuz", "float8e5m2fnuz"})
ROUNDED = frozenset({"float16", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"})


class NotRepresentable(ValueError):
    """A value that the type cannot hold; the text says which and why."""


def round_floats(values: Array, target: ElementType) -> Array:
    """float64 values, rounded once to a floating-point type.

    float4e2m1, float6 and float8e8m0 take the values that they hold exactly; NotRepresentable for any other one.
    """
    if target.name in ("double", "float"):
        with np.errstate(over="ignore", under="ignore"):
            return values.astype(DTYPES[target])
    if target.name not in ROUNDED:
        return _exactly(values, target)
    digits, least_exponent, largest = _format(target)
    _, exponents = np.frexp(values)
    finite = np.isfinite(values)
    # np.frexp puts the significand in [0.5, 1): the value's own exponent is one less.
    units = np.where(finite, np.maximum(exponents - 1, least_exponent) - (digits - 1), 0)
    rounded = np.ldexp(np.rint(np.ldexp(values, -units)), units)
    beyond = finite & (np.abs(rounded) > largest)
    if target.name in _WITHOUT_INFINITY:
        rounded = np.where(beyond | np.isinf(values), np.nan, rounded)
    else:
        rounded = np.where(beyond, np.copysign(np.inf, values), rounded)
    with np.errstate(invalid="ignore"):
        return np.asarray(rounded, dtype=np.float64).astype(np.float32).astype(DTYPES[target])


def _exactly(values: Array, target: ElementType) -> Array:
    with np.errstate(all="ignore"):
        held = values.astype(DTYPES[target])
        back = held.astype(np.float64)
    lost = ~((back == values) | (np.isnan(back) & np.isnan(values)))
    if lost.any():
        raise NotRepresentable(f"{_first(values, lost)} is no {target.name}")
    return held


@cache
def _format(target: ElementType) -> tuple[int, int, float]:
    """Digits of the significand, exponent of the least normal value, largest value."""
    info: Any = ml_dtypes.finfo(DTYPES[target])  # type: ignore[no-untyped-call]
    return target.precision, int(info.minexp), float(info.max)


def truncate_to_integers(values: Array, target: ElementType) -> Array:
    """Floats or integers as an integer type, fractions cut towards zero as ONNX's Cast does.

    Raises NotRepresentable for values that are not finite or out of range: Cast leaves those undefined.
    """
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise NotRepresentable(f"{_first(values, ~np.isfinite(values))} is no {target.name}")
        values = np.trunc(values)
    return integers([int(item) for item in values.ravel().tolist()], values.shape, target)


def integers(values: Sequence[int], shape: tuple[int, ...], target: ElementType) -> Array:
    """Integers as an integer type. Raises NotRepresentable for one out of range."""
    for value in values:
        if not target.minimum <= value <= target.maximum:
            raise NotRepresentable(f"{value} is out of the range of {target.name}")
    wide = np.array(values, dtype=np.uint64 if target.kind == "uint" else np.int64).reshape(shape)
    return wide.astype(DTYPES[target])


def _first(values: Array, where: Array) -> str:
    return repr(float(values[where].ravel()[0]))
