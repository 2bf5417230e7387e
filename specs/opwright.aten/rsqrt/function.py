from opwright import opset18 as op


def rsqrt(self):
    return op.Reciprocal(op.Sqrt(self))
