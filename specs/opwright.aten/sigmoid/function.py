from opwright import opset18 as op


def sigmoid(self):
    return op.Sigmoid(self)
