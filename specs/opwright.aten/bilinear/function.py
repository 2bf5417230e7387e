from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def bilinear(input1, input2, weight, bias=None):
    if input1.dtype == BFLOAT16:
        b = None if bias is None else op.Cast(bias, to=FLOAT)
        y = _transformed(op.Cast(input1, to=FLOAT), op.Cast(input2, to=FLOAT), op.Cast(weight, to=FLOAT), b)
        return op.Cast(y, to=BFLOAT16)
    if input1.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        b = None if bias is None else op.Cast(bias, to=INT32)
        y = _transformed(op.Cast(input1, to=INT32), op.Cast(input2, to=INT32), op.Cast(weight, to=INT32), b)
        return op.CastLike(y, input1)
    return _transformed(input1, input2, weight, bias)


def _transformed(x1, x2, weight, bias):
    y = op.Einsum(x1, weight, x2, equation="...i,oij,...j->...o")
    return y if bias is None else y + bias
