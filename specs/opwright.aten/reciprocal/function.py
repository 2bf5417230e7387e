from opwright import opset18 as op


def reciprocal(self):
    return op.Reciprocal(self)
