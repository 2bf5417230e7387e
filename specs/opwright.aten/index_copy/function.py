from collections.abc import Sequence

from opwright import opset18 as op


def index_copy(self, index, source, dim: int, column: Sequence[int]):
    return op.ScatterElements(self, op.Expand(op.Reshape(index, column), op.Shape(source)), source, axis=dim)
