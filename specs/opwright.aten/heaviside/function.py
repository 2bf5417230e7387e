from opwright import BOOL, INT16, INT32
from opwright import opset18 as op


def heaviside(self, values):
    if self.dtype == BOOL:
        return self | values
    if self.dtype == INT16:
        return op.Cast(_step(op.Cast(self, to=INT32), op.Cast(values, to=INT32)), to=INT16)
    return _step(self, values)


def _step(x, values):
    return op.Where(x == 0, values, op.CastLike(x > 0, x))
