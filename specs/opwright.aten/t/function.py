from opwright import opset18 as op


def t(self):
    return op.Transpose(self)
