from opwright import BFLOAT16, BOOL, FLOAT, INT16, INT32, UINT8
from opwright import opset18 as op


def aminmax(self, dim: int | None = None, keepdim: bool = False):
    if self.dtype == BOOL:
        x = op.Cast(self, to=UINT8)
    elif self.dtype == INT16:
        x = op.Cast(self, to=INT32)
    elif self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    else:
        x = self
    axes = None if dim is None else op.Constant(value_ints=[dim])
    least, greatest = op.ReduceMin(x, axes, keepdims=keepdim), op.ReduceMax(x, axes, keepdims=keepdim)
    if self.dtype in (BOOL, INT16, BFLOAT16):
        return op.CastLike(least, self), op.CastLike(greatest, self)
    return least, greatest
