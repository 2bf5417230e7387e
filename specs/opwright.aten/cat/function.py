from opwright import opset18 as op


def cat(*tensors, dim: int = 0):
    return op.Concat(*tensors, axis=dim)
