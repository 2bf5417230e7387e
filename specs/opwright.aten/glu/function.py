from opwright import opset18 as op


def glu(self, dim: int = -1):
    first, second = op.Split(self, axis=dim, num_outputs=2)
    return first * op.Sigmoid(second)
