"""What onnxruntime is known to get wrong on integers, so that it is not asked: found with 1.31 on x86.

Values of int64 whose low half is negative as an int32 are compared by that half alone in some kernels; others compute
in double. The least integer divided by -1 stops the process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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


_CHECKS: dict[Fault, Callable[[Sequence[Array]], bool]] = {
    Fault.WIDE: _beyond_int32,
    Fault.QUOTIENT: _quotient_overflows,
    Fault.POWER: _power_is_inexact,
    Fault.SQUARES: _squares_are_inexact,
}
_WIDE = frozenset({Fault.WIDE, Fault.SQUARES})  # which concern int64 alone


def fault_of(record: Record, kinds: Sequence[str]) -> Callable[[Sequence[Array]], bool] | None:
    """What has to be asked of operands of these element types (empty for no tensor) before a kernel gets them; None
    where nothing has. Operands that say axes do not count."""
    fault = record.fault
    if fault is None:
        return None
    relevant = kinds[:1] if record.rank is RankRule.REDUCED else kinds
    wide = fault in _WIDE
    concerned = any(kind == "int64" if wide else kind and BY_NAME[kind].is_integer for kind in relevant)
    return _CHECKS[fault] if concerned else None
