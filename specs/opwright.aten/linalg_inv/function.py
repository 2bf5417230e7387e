from opwright import DOUBLE
from opwright import opset18 as op

_END = (1 << 63) - 1


def linalg_inv(A):
    return inverted(A)


def inverted(matrices):
    x = op.Cast(matrices, to=DOUBLE)
    size = op.Squeeze(op.Shape(x, start=-1))
    one = op.Unsqueeze(op.Range(0, size, 1), [1]) == op.Range(0, size, 1)
    return op.CastLike(solved(x, op.Expand(op.Cast(one, to=DOUBLE), op.Shape(x))), matrices)


def solved(x, right):
    """What `x`, multiplied with it, gives `right`: Gauss-Jordan elimination, with the largest pivots of columns."""
    size = op.Shape(x, start=-1)
    rows = op.Range(0, op.Squeeze(size), 1)
    both = op.Concat(x, right, axis=-1)
    for step in range(op.Squeeze(size)):
        both = ordered(both, order_of(both, rows, step))
        row = op.Gather(both, op.Unsqueeze(step, [0]), axis=-2)
        row = row / op.Gather(row, op.Unsqueeze(step, [0]), axis=-1)
        rest = both - op.Gather(both, op.Unsqueeze(step, [0]), axis=-1) * row
        both = op.Where(op.Unsqueeze(rows == step, [1]), row, rest)
    return op.Slice(both, size, [_END], [-1])


def order_of(x, rows, step):
    """The rows in an order in which the largest element of a column, of those at or below the step, is at the step."""
    column = op.Gather(x, step, axis=-1)
    place = op.ArgMax(op.Where(rows < step, -1.0, op.Abs(column)), axis=-1)
    return op.Where(rows == step, place, op.Where(rows == place, step, rows))


def ordered(x, order):
    return op.GatherElements(x, op.Expand(op.Unsqueeze(order, [-1]), op.Shape(x)), axis=-2)
