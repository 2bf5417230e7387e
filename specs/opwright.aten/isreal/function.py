from opwright import opset18 as op


def isreal(self):
    return op.Expand(True, op.Shape(self))
