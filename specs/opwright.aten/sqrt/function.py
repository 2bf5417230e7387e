from opwright import opset18 as op


def sqrt(self):
    return op.Sqrt(self)
