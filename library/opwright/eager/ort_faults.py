"""What onnxruntime is known to get wrong, so that it is not asked: found with 1.31 on x86.

Values of int64 whose low half is negative as an int32 are compared by that half alone in some kernels; others compute
in double. The least integer divided by -1 stops the process. Of texts that stand together the first alone is gathered,
and a float that becomes an integer of fewer than 8 bits is rounded, where the standard cuts its fraction off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from opwright.elements import BY_NAME
from opwright.graphs.ndarrays import Array
from opwright.opsets.record import Fault, RankRule, Record

_INT32 = np.iinfo(np.int32)
_EXACT_BITS = 53  # of a double


def _beyond_int32(data: Sequence[Array]) -> bool:
    return any(
        array.dtype == np.int64 and array.size and (array.min() < _INT32.min or array.max() > _INT32.max)
        for array in data
        if isinstance(array, np.ndarray)
    )


def _quotient_overflows(data: Sequence[Array]) -> bool:
    left, right = data[0], data[-1]
    if left.dtype.kind != "i":
        return False
    return bool((right == -1).any() and (left == np.iinfo(left.dtype).min).any())


def _power_is_inexact(data: Sequence[Array]) -> bool:
    base, exponent = data[0], data[-1]
    if base.dtype.kind not in "iu" or exponent.dtype.kind not in "iu" or not base.size or not exponent.size:
        return False
    largest = max(abs(int(base.min())), abs(int(base.max())))
    return int(exponent.min()) >= 0 and largest.bit_length() * int(exponent.max()) > _EXACT_BITS


def _squares_are_inexact(data: Sequence[Array]) -> bool:
    array = data[0]
    if array.dtype != np.int64 or not array.size:
        return False
    largest = max(abs(int(array.min())), abs(int(array.max())))
    return (largest * largest * array.size).bit_length() > _EXACT_BITS


def _texts_stand_together(data: Sequence[Array]) -> bool:
    return data[0].ndim > 1


def _have_fractions(data: Sequence[Array]) -> bool:
    numbers = data[0].astype(np.float64)
    return bool((numbers != np.trunc(numbers)).any())


_Concerned = Callable[[Sequence[str], Sequence[str]], bool]


@dataclass(frozen=True, slots=True)
class _Check:
    """`concerns` is asked of the element types of operands and of results, empty for no tensor; `fails` of data."""

    concerns: _Concerned
    fails: Callable[[Sequence[Array]], bool]


def _of_int64(kinds: Sequence[str], made: Sequence[str]) -> bool:
    return "int64" in kinds


def _of_integers(kinds: Sequence[str], made: Sequence[str]) -> bool:
    return any(kind and BY_NAME[kind].is_integer for kind in kinds)


def _of_texts(kinds: Sequence[str], made: Sequence[str]) -> bool:
    return kinds[0] == "string"


def _from_floats_to_few_bits(kinds: Sequence[str], made: Sequence[str]) -> bool:
    if not kinds[0] or not made[0]:
        return False
    element = BY_NAME[made[0]]
    return BY_NAME[kinds[0]].is_float and element.is_integer and element.bits < 8


_CHECKS: dict[Fault, _Check] = {
    Fault.WIDE: _Check(_of_int64, _beyond_int32),
    Fault.QUOTIENT: _Check(_of_integers, _quotient_overflows),
    Fault.POWER: _Check(_of_integers, _power_is_inexact),
    Fault.SQUARES: _Check(_of_int64, _squares_are_inexact),
    Fault.BLOCKS: _Check(_of_texts, _texts_stand_together),
    Fault.NARROW: _Check(_from_floats_to_few_bits, _have_fractions),
}


def fault_of(record: Record, kinds: Sequence[str], made: Sequence[str]) -> Callable[[Sequence[Array]], bool] | None:
    """What has to be asked of operands before a kernel gets them, where operands and results are of these element types
    (empty for no tensor); None where nothing has. Operands that say axes do not count."""
    if record.fault is None:
        return None
    check = _CHECKS[record.fault]
    return check.fails if check.concerns(kinds[:1] if record.rank is RankRule.REDUCED else kinds, made) else None
