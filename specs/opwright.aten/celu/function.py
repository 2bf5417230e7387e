from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def celu(self, alpha=None):
    if self.dtype in (FLOAT16, BFLOAT16):
        wide = None if alpha is None else op.Cast(alpha, to=FLOAT)
        return op.Cast(value(op.Cast(self, to=FLOAT), wide), to=self.dtype)
    return value(self, alpha)


def value(x, alpha):
    if alpha is not None:
        return op.Where(x > 0, x, (op.Exp(x / alpha) - 1) * alpha)
    return op.Where(x > 0, x, op.Exp(x) - 1) if x.dtype == DOUBLE else op.Elu(x, alpha=1.0)
