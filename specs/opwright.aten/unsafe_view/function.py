from opwright import opset18 as op


def unsafe_view(self, size):
    return op.Reshape(self, size, allowzero=1)
