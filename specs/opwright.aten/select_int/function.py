from opwright import opset18 as op


def select_int(self, index, dim: int):
    return op.Gather(self, index, axis=dim)
