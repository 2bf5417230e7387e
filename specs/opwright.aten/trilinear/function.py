from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def trilinear(i1, i2, i3, *, equation: str):
    if i1.dtype == BFLOAT16:
        y = op.Einsum(op.Cast(i1, to=FLOAT), op.Cast(i2, to=FLOAT), op.Cast(i3, to=FLOAT), equation=equation)
        return op.Cast(y, to=BFLOAT16)
    if i1.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        y = op.Einsum(op.Cast(i1, to=INT32), op.Cast(i2, to=INT32), op.Cast(i3, to=INT32), equation=equation)
        return op.CastLike(y, i1)
    return op.Einsum(i1, i2, i3, equation=equation)
