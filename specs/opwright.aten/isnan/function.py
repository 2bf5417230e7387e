from opwright import opset18 as op


def isnan(self):
    return op.IsNaN(self)
