from opwright import opset18 as op


def gather(self, index, dim: int):
    return op.GatherElements(self, index, axis=dim)
