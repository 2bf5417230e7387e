from opwright import opset18 as op


def Over(X, start=None, *, dtype: int | None = None):
    over = op.Greater(X, op.CastLike(0, X))
    if start is None:
        count = op.ReduceSum(op.CastLike(over, X), keepdims=0)
    else:
        count = start + op.ReduceSum(op.CastLike(over, start), keepdims=0)
    if dtype is None:
        return op.CastLike(over, X), count
    return op.Cast(over, to=dtype), count
