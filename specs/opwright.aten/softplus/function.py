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
    y = log_beside_1(scaled)
    return op.Where(scaled > threshold, x, y if beta is None else y / beta)


def log_beside_1(x):
    """log(1 + exp(x)); in double without Softplus, of which onnxruntime has no kernel there."""
    if x.dtype != DOUBLE:
        return op.Softplus(x)
    return op.Relu(x) + below_0(-op.Abs(x))


def below_0(x):
    """log(1 + exp(x)) of doubles that are at most 0, with the digits that 1 + exp(x) loses."""
    e = op.Exp(x)
    u = e + 1
    return op.Log(u) + (e - (u - 1))
