from opwright import opset18 as op


def randperm(n, *, dtype: int = 7):
    _, places = op.TopK(op.RandomUniformLike(op.ConstantOfShape(n)), n)
    return op.Cast(places, to=dtype)
