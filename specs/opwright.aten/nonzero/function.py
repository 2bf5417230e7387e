from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT16, INT8, INT16
from opwright import opset18 as op


def nonzero(self):
    x = op.Cast(self, to=BOOL) if self.dtype in (FLOAT16, BFLOAT16, DOUBLE, INT8, INT16) else self
    if self.rank == 0:
        return op.Slice(op.Transpose(op.NonZero(op.Reshape(x, [1]))), [0], [0], [1])
    return op.Transpose(op.NonZero(x))
