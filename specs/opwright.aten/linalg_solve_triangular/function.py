from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op


def linalg_solve_triangular(
    self,
    B,
    *,
    upper: Literal[False, True],
    left: Literal[True, False] = True,
    unitriangular: Literal[False, True] = False,
):
    x, right = op.Cast(self, to=DOUBLE), op.Cast(B, to=DOUBLE)
    if not left:
        x, right = _transposed(x), _transposed(right)
    last = op.Squeeze(op.Shape(x, start=-1)) - 1
    rows = op.Range(0, last + 1, 1)
    # What is found already is in `y`, the rest of it is 0.
    y = op.Expand(op.Cast(0, to=DOUBLE), op.Shape(op.MatMul(x, right)))
    for number in range(last + 1):
        step = op.Unsqueeze(last - number if upper == left else number, [0])
        row = op.Gather(x, step, axis=-2)
        found = op.Gather(right, step, axis=-2) - op.MatMul(op.Where(_known(rows, step, upper == left), row, 0.0), y)
        if not unitriangular:
            found = found / op.Gather(row, step, axis=-1)
        y = op.Where(op.Unsqueeze(rows == step, [1]), found, y)
    return op.CastLike(y if left else _transposed(y), B)


def _known(rows, step, backwards):
    return rows > step if backwards else rows < step


def _transposed(x):
    return op.Einsum(x, equation="...ij->...ji")
