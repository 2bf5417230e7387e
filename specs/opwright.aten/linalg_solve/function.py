from typing import Literal

from opwright import DOUBLE
from opwright import opset18 as op

_END = (1 << 63) - 1


def linalg_solve(A, B, *, left: Literal[True, False] = True, vector: Literal[False, True] = False):
    x, right = op.Cast(A, to=DOUBLE), op.Cast(B, to=DOUBLE)
    if vector:
        right = op.Unsqueeze(right, [-1 if left else -2])
    if not left:
        x, right = _transposed(x), _transposed(right)
    # Dimensions before the matrices are broadcast.
    before = op.Expand(op.ConstantOfShape(op.Shape(x, end=-2)), op.Shape(right, end=-2))
    x = op.Expand(x, op.Concat(op.Shape(before), [1, 1], axis=0))
    right = op.Expand(right, op.Concat(op.Shape(before), [1, 1], axis=0))
    y = _solved(x, right)
    if not left:
        y = _transposed(y)
    if vector:
        y = op.Squeeze(y, [-1 if left else -2])
    return op.CastLike(y, A)


def _transposed(x):
    return op.Einsum(x, equation="...ij->...ji")


def _solved(x, right):
    """What `x`, multiplied with it, gives `right`: Gauss-Jordan elimination, with the largest pivots of columns."""
    size = op.Shape(x, start=-1)
    rows = op.Range(0, op.Squeeze(size), 1)
    both = op.Concat(x, right, axis=-1)
    for step in range(op.Squeeze(size)):
        both = _ordered(both, _order(both, rows, step))
        row = op.Gather(both, op.Unsqueeze(step, [0]), axis=-2)
        row = row / op.Gather(row, op.Unsqueeze(step, [0]), axis=-1)
        rest = both - op.Gather(both, op.Unsqueeze(step, [0]), axis=-1) * row
        both = op.Where(op.Unsqueeze(rows == step, [1]), row, rest)
    return op.Slice(both, size, [_END], [-1])


def _order(x, rows, step):
    """The rows in an order in which the largest element of a column, of those at or below the step, is at the step."""
    column = op.Gather(x, step, axis=-1)
    place = op.ArgMax(op.Where(rows < step, -1.0, op.Abs(column)), axis=-1)
    return op.Where(rows == step, place, op.Where(rows == place, step, rows))


def _ordered(x, order):
    return op.GatherElements(x, op.Expand(op.Unsqueeze(order, [-1]), op.Shape(x)), axis=-2)
