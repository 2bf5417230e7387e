from collections.abc import Sequence

from opwright import opset18 as op


def diagonal(
    self,
    sizes: Sequence[int],
    whole: bool = False,
    row: int = 0,
    column: int = 0,
    order: Sequence[int] | None = None,
    places: Sequence[int] | None = None,
):
    x = self if order is None else op.Transpose(self, perm=order)
    elements = op.Reshape(x, sizes, allowzero=whole)
    if places is not None:
        return op.Gather(elements, op.Constant(value_ints=places), axis=-1)
    rows, columns = op.Shape(x, start=-2, end=-1), op.Shape(x, start=-1)
    start, step = row * columns + column, columns + 1
    return op.Slice(elements, start, start + step * op.Min(rows - row, columns - column), [-1], step)
