from opwright import opset18 as op


def index_select(self, index, dim: int):
    return op.Gather(self, index, axis=dim)
