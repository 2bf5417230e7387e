from opwright import opset18 as op


def trapezoid_dx(y, dx=None, *, dim: int = -1):
    axes = op.Constant(value_ints=[dim])
    inner = op.Slice(y, [0], [-1], axes) + op.Slice(y, [1], [(1 << 63) - 1], axes)
    half = op.ReduceSum(inner, axes, keepdims=False) / 2
    return half if dx is None else half * dx
