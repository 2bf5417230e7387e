from opwright import opset18 as op


def tanh(self):
    return op.Tanh(self)
