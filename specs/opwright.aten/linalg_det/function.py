from opwright import DOUBLE, FLOAT
from opwright import opset18 as op

from ..linalg_inv.function import order_of, ordered


def linalg_det(A):
    return determinant(A)


def determinant(x):
    if x.dtype == FLOAT:  # the only type for which onnxruntime has a kernel
        return op.Det(x)
    size = op.Squeeze(op.Shape(x, start=-1))
    rows = op.Range(0, size, 1)
    y = op.Expand(op.Cast(1, to=DOUBLE), op.Shape(x, end=-2))
    for step in range(size):
        order = order_of(x, rows, step)
        x = ordered(x, order)
        row = op.Gather(x, op.Unsqueeze(step, [0]), axis=-2)
        pivot = op.Gather(row, op.Unsqueeze(step, [0]), axis=-1)
        factors = op.Gather(x, op.Unsqueeze(step, [0]), axis=-1) / op.Where(pivot == 0, 1.0, pivot)
        x = op.Where(op.Unsqueeze(rows > step, [1]), x - factors * row, x)
        y = op.Where(op.Gather(order, step, axis=-1) == step, y, -y) * op.Squeeze(pivot, [-2, -1])
    return y
