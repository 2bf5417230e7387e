from opwright import opset18 as op


def abs(self):
    return op.Abs(self)
