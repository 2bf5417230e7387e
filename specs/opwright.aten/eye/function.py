from opwright import opset18 as op


def eye(sizes, *, dtype: int | None = None):
    elements = op.EyeLike(op.ConstantOfShape(sizes))
    return elements if dtype is None else op.Cast(elements, to=dtype)
