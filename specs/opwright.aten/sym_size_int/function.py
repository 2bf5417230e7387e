from opwright import opset18 as op


def sym_size_int(self, dim: int):
    return op.Gather(op.Shape(self), dim)
