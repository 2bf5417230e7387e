from opwright import opset18 as op


def softmax(self, dim: int):
    return op.Softmax(self, axis=dim)
