from opwright import opset18 as op


def special_expit(self):
    return op.Sigmoid(self)
