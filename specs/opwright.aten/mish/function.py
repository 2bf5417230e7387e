from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def mish(self):
    """tanh(log(1 + e)) with e = exp(x) is e / (e + 2 / (e + 2)), and 1 in double where x is above 20."""
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(value(op.Cast(self, to=FLOAT)), to=self.dtype)
    return value(self)


def value(x):
    e = op.Exp(op.Min(x, 20))
    return x * (e / (e + 2 / (e + 2)))
