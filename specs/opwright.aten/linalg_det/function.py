from opwright import DOUBLE, FLOAT
from opwright import opset18 as op


def linalg_det(A):
    if A.dtype == FLOAT:  # the only type for which onnxruntime has a kernel
        return op.Det(A)
    x = A
    size = op.Squeeze(op.Shape(x, start=-1))
    rows = op.Range(0, size, 1)
    y = op.Expand(op.Cast(1, to=DOUBLE), op.Shape(x, end=-2))
    for step in range(size):
        order = _order(x, rows, step)
        x = _ordered(x, order)
        row = op.Gather(x, op.Unsqueeze(step, [0]), axis=-2)
        pivot = op.Gather(row, op.Unsqueeze(step, [0]), axis=-1)
        factors = op.Gather(x, op.Unsqueeze(step, [0]), axis=-1) / op.Where(pivot == 0, 1.0, pivot)
        x = op.Where(op.Unsqueeze(rows > step, [1]), x - factors * row, x)
        y = op.Where(op.Gather(order, step, axis=-1) == step, y, -y) * op.Squeeze(pivot, [-2, -1])
    return y


def _order(x, rows, step):
    """The rows in an order in which the largest element of a column, of those at or below the step, is at the step."""
    column = op.Gather(x, step, axis=-1)
    place = op.ArgMax(op.Where(rows < step, -1.0, op.Abs(column)), axis=-1)
    return op.Where(rows == step, place, op.Where(rows == place, step, rows))


def _ordered(x, order):
    return op.GatherElements(x, op.Expand(op.Unsqueeze(order, [-1]), op.Shape(x)), axis=-2)
