from opwright import opset18 as op


def log_softmax_int(self, dim: int):
    return op.LogSoftmax(self, axis=dim)
