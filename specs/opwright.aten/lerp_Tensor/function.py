from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def lerp_Tensor(self, end, weight):
    if self.dtype in (FLOAT16, BFLOAT16):
        return op.CastLike(_lerp(op.Cast(self, to=FLOAT), op.Cast(end, to=FLOAT), op.Cast(weight, to=FLOAT)), self)
    return _lerp(self, end, weight)


def _lerp(start, end, weight):
    """From the end that is nearer, so that a weight of 1 gives the end itself."""
    is_small = op.Abs(weight) < 0.5
    return op.Where(is_small, start, end) + op.Where(is_small, weight, weight - 1) * (end - start)
