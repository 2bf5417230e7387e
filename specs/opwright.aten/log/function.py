from opwright import opset18 as op


def log(self):
    return op.Log(self)
