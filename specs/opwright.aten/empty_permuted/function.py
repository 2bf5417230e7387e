from opwright import opset18 as op


def empty_permuted(size, *, dtype: int | None = None):
    elements = op.ConstantOfShape(size)
    return elements if dtype is None else op.Cast(elements, to=dtype)
