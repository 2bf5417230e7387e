from opwright import opset18 as op


def view_as(self, other):
    return op.Reshape(self, op.Shape(other), allowzero=1)
