from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def log1p(self):
    """1 + x loses digits of a small x, or all of them: what was lost is added again."""
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(value(op.Cast(self, to=FLOAT)), to=self.dtype)
    return value(self)


def value(x):
    u = x + 1
    return op.Log(u) + op.Where(x < 1, x - (u - 1), 0)
