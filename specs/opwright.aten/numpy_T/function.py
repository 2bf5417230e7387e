from opwright import opset18 as op


def numpy_T(self):
    return op.Transpose(self)
