from opwright import opset18 as op


def scatter_value(self, index, value, dim: int):
    return op.ScatterElements(self, index, op.Expand(value, op.Shape(index)), axis=dim)
