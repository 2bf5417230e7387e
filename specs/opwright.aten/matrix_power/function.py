from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def matrix_power(self, n: int):
    if self.dtype == BFLOAT16:
        return op.Cast(_power(op.Cast(self, to=FLOAT), n), to=BFLOAT16)
    if self.dtype in (UINT8, INT8, INT16):
        # Wrapping around is the same in int32 and in the narrower type.
        return op.CastLike(_power(op.Cast(self, to=INT32), n), self)
    return _power(self, n)


def _power(x, n):
    size = op.Shape(x, start=-1)
    diagonal = op.Unsqueeze(op.Range(0, op.Squeeze(size), 1), [1]) == op.Range(0, op.Squeeze(size), 1)
    y = op.Expand(op.CastLike(diagonal, x), op.Shape(x))
    for _ in range(n):
        y = op.MatMul(y, x)
    return y
