from opwright import DOUBLE, INT32, INT64, UINT32, UINT64
from opwright import opset13 as op

HALF = 4294967296


def ReduceSumSquare(data, axes=None, keepdims: int = 1, noop_with_empty_axes: int = 0):
    """Floats are squared and added in double, so that the sum is rounded once whatever its length: of 4096 floats
    onnxruntime's result is off by half a unit in the last place, that of the standard's body by 5.9.

    Integers are squared and added in int64, modulo the range of their type. onnxruntime adds int64 in double: sums of
    32-bit halves stay exact there too (up to 2^21 elements).
    """
    if data.dtype in (INT32, UINT32):
        x = op.Cast(data, to=INT64)
        total = add_up(op.Mod(x * x, HALF), axes, keepdims, noop_with_empty_axes)
    elif data.dtype in (INT64, UINT64):
        x = op.Cast(data, to=INT64)
        square = x * x
        high = square / HALF
        low = square - high * HALF
        total = add_up(high, axes, keepdims, noop_with_empty_axes) * HALF
        total = total + add_up(low, axes, keepdims, noop_with_empty_axes)
    else:
        x = op.Cast(data, to=DOUBLE)
        total = add_up(x * x, axes, keepdims, noop_with_empty_axes)
    return op.Cast(total, to=data.dtype)


def add_up(x, axes, keepdims, noop_with_empty_axes):
    return op.ReduceSum(x, axes, keepdims=keepdims, noop_with_empty_axes=noop_with_empty_axes)
