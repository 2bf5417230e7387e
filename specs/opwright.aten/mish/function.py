from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def mish(self):
    if self.dtype == DOUBLE:
        return _exact(self)
    if self.dtype in (FLOAT16, BFLOAT16):
        x = op.Cast(self, to=FLOAT)
        return op.Cast(x * op.Tanh(op.Softplus(x)), to=self.dtype)
    return self * op.Tanh(op.Softplus(self))


def _exact(x):
    """tanh(log(1 + e)) with e = exp(x) is e / (e + 2 / (e + 2)), and 1 where x is above 20; Softplus of double has the
    digits of float on some runtimes, and no kernel on others."""
    e = op.Exp(op.Min(x, 20))
    return x * (e / (e + 2 / (e + 2)))
