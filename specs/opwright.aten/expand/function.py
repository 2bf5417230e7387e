from opwright import opset18 as op


def expand(self, size):
    return op.Expand(self, size)
