from opwright import opset18 as op


def threshold(self, threshold, value):
    return op.Where(self <= threshold, value, self)
