from opwright import DOUBLE, INT32, INT64, UINT32, UINT64
from opwright import opset13 as op

HALF = 4294967296


def ReduceL1(data, axes=None, keepdims: int = 1, noop_with_empty_axes: int = 0):
    """Floats are added in double, so that the sum is rounded once whatever its length: of 4096 floats onnxruntime's
    result is off by half a unit in the last place, that of the standard's body by 4.6.

    Integers are added in int64, modulo 2^64. onnxruntime adds int64 in double: where elements have 64 bits, sums of
    their 32-bit halves stay exact there too (up to 2^21 elements).
    """
    if data.dtype in (UINT32, UINT64):
        magnitude = op.Cast(data, to=INT64)
    else:
        magnitude = op.Abs(op.Cast(data, to=INT64 if data.dtype in (INT32, INT64) else DOUBLE))
    if data.dtype in (INT64, UINT64):
        high = magnitude / HALF
        low = magnitude - high * HALF
        total = add_up(high, axes, keepdims, noop_with_empty_axes) * HALF
        total = total + add_up(low, axes, keepdims, noop_with_empty_axes)
    else:
        total = add_up(magnitude, axes, keepdims, noop_with_empty_axes)
    return op.Cast(total, to=data.dtype)


def add_up(x, axes, keepdims, noop_with_empty_axes):
    return op.ReduceSum(x, axes, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes)
