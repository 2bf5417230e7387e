from opwright import opset18 as op


def SquareFlip(X, B=None, *, keep: int | None = None, scale: float = 1.0):
    y = X * X
    if X.rank == 2:
        y = op.Transpose(y)
    elif X.rank == 1 and keep is None:
        y = y[::-1]
    if B is not None:
        y = y + B
    return y * op.CastLike(scale, y)
