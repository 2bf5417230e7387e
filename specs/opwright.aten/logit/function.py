from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def logit(self, eps=None):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(value(op.Cast(self, to=FLOAT), None if eps is None else op.Cast(eps, to=FLOAT)), to=self.dtype)
    return value(self, eps)


def value(x, eps):
    if eps is not None:
        x = op.Clip(x, eps, 1 - eps)
    return op.Log(x / (1 - x))
