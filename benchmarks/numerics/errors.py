"""How far results lie from exact values: absolutely, in units in the last place, and how many are lost altogether."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from opwright.elements import ElementType
from opwright.graphs.ndarrays import DTYPES
from opwright_build.verify.case_model import Array, Expected


@dataclass(frozen=True, slots=True)
class Errors:
    """`absolute` and `ulp` are the largest over the elements that neither body loses; `lost` are those of this one.

    An element is lost where it is not finite and the exact value is, or the other way round.
    """

    absolute: float = 0.0
    ulp: float = 0.0
    lost: int = 0

    def joined(self, other: Errors) -> Errors:
        return Errors(max(self.absolute, other.absolute), max(self.ulp, other.ulp), self.lost + other.lost)


@dataclass(frozen=True, slots=True)
class Deviation:
    """Of each element of one output: how far off it is (float64), how many ulp that is, and whether it is lost."""

    absolute: Array
    ulp: Array
    lost: Array


def deviation(expected: Expected, result: Array | None, target: ElementType) -> Deviation:
    """`result` None, or of another shape or type, loses every element."""
    rounded = expected.array
    if result is None or result.shape != rounded.shape or result.dtype != rounded.dtype:
        nothing = np.zeros(rounded.size)
        return Deviation(nothing, nothing, np.ones(rounded.size, dtype=np.bool_))
    if not target.is_float:
        differs = np.abs(result.ravel().astype(np.float64) - rounded.ravel().astype(np.float64))
        return Deviation(differs, differs, np.zeros(rounded.size, dtype=np.bool_))
    want = rounded.ravel().astype(np.float64)
    exact = want if expected.exact is None else expected.exact.ravel()
    found = result.ravel().astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        lost = ~(np.isfinite(want) & np.isfinite(found) | (want == found) | (np.isnan(want) & np.isnan(found)))
        # An exact value just beyond the largest one may be rounded to either.
        lost &= ~(np.isinf(want) & np.isfinite(exact) & np.isfinite(found))
        off = np.abs(found - exact)
    off = np.where(lost | ~np.isfinite(off), 0.0, off)
    return Deviation(off, off / _units(exact, target), lost)


def compare(ours: Deviation, standard: Deviation) -> tuple[Errors, Errors]:
    """The errors of both over the elements that neither loses."""
    kept = ~(ours.lost | standard.lost)
    return _errors(ours, kept), _errors(standard, kept)


def _errors(found: Deviation, kept: Array) -> Errors:
    absolute = float(found.absolute[kept].max(initial=0.0))
    return Errors(absolute, float(found.ulp[kept].max(initial=0.0)), int(found.lost.sum()))


def _units(exact: Array, target: ElementType) -> Array:
    """One unit in the last place of the type at each value."""
    info = ml_dtypes.finfo(DTYPES[target])  # type: ignore[no-untyped-call]
    _, exponents = np.frexp(np.where(np.isfinite(exact), exact, 1.0))
    least, most = int(info.minexp), int(info.maxexp) - 1
    units: Array = np.ldexp(1.0, np.clip(exponents - 1, least, most) - (target.precision - 1))
    return units
