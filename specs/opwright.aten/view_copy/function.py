from opwright import opset18 as op


def view_copy(self, size):
    return op.Reshape(self, size, allowzero=1)
