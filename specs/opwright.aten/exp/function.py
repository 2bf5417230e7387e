from opwright import opset18 as op


def exp(self):
    return op.Exp(self)
