from opwright import opset18 as op


def narrow_Tensor(self, start, length, dim: int):
    return op.Gather(self, op.Range(start, start + length, 1), axis=dim)
