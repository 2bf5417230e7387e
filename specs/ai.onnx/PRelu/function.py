from opwright import BFLOAT16, FLOAT, FLOAT16, UINT32, UINT64
from opwright import opset13 as op


def PRelu(X, slope):
    """Where X is negative, slope * X. No unsigned integer is; half-width types are multiplied in float."""
    if X.dtype in (UINT32, UINT64):
        return op.Identity(X)
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(prelu(op.Cast(X, to=FLOAT), op.Cast(slope, to=FLOAT)), to=X.dtype)
    return prelu(X, slope)


def prelu(x, slope):
    return op.Where(x < 0, slope * x, x)
