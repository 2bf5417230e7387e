from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def round_decimals(self, factor=None, divisor=None):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(value(op.Cast(self, to=FLOAT), factor, divisor), to=self.dtype)
    return value(self, factor, divisor)


def value(x, factor, divisor):
    if factor is not None:
        power = op.CastLike(factor, x)
        return op.Round(x * power) / power
    if divisor is not None:
        power = op.CastLike(divisor, x)
        return op.Round(x / power) * power
    return op.Round(x)
