from opwright import opset18 as op


def log_softmax(self, dim: int):
    return op.LogSoftmax(self, axis=dim)
