from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def softplus(self, beta=None, threshold=None):
    if self.dtype in (FLOAT16, BFLOAT16):
        x = op.Cast(self, to=FLOAT)
        slope = None if beta is None else op.Cast(beta, to=FLOAT)
        limit = 20 if threshold is None else op.Cast(threshold, to=FLOAT)
        return op.Cast(value(x, slope, limit), to=self.dtype)
    return value(self, beta, 20 if threshold is None else threshold)


def value(x, beta, threshold):
    scaled = x if beta is None else x * beta
    y = in_double(scaled) if x.dtype == DOUBLE else op.Softplus(scaled)
    return op.Where(scaled > threshold, x, y if beta is None else y / beta)


def in_double(x):
    e = op.Exp(-op.Abs(x))
    u = e + 1
    return op.Relu(x) + (op.Log(u) + (e - (u - 1)))
