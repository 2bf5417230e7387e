from opwright import opset18 as op


def softmax_int(self, dim: int):
    return op.Softmax(self, axis=dim)
