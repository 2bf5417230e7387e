from opwright import DOUBLE
from opwright import opset18 as op

from ..linalg_inv.function import order_of, ordered


def linalg_slogdet(A):
    return sign_and_logarithm(A)


def sign_and_logarithm(matrices):
    x = op.Cast(matrices, to=DOUBLE)
    size = op.Squeeze(op.Shape(x, start=-1))
    rows = op.Range(0, size, 1)
    sign = op.Expand(op.Cast(1, to=DOUBLE), op.Shape(x, end=-2))
    magnitude = sign - sign
    for step in range(size):
        order = order_of(x, rows, step)
        x = ordered(x, order)
        row = op.Gather(x, op.Unsqueeze(step, [0]), axis=-2)
        pivot = op.Gather(row, op.Unsqueeze(step, [0]), axis=-1)
        factors = op.Gather(x, op.Unsqueeze(step, [0]), axis=-1) / op.Where(pivot == 0, 1.0, pivot)
        x = op.Where(op.Unsqueeze(rows > step, [1]), x - factors * row, x)
        pivot = op.Squeeze(pivot, [-2, -1])
        sign = op.Where(op.Gather(order, step, axis=-1) == step, sign, -sign) * op.Sign(pivot)
        magnitude = magnitude + op.Log(op.Abs(pivot))
    return op.CastLike(sign, matrices), op.CastLike(magnitude, matrices)
