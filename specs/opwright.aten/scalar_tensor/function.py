from opwright import opset18 as op


def scalar_tensor(s, *, dtype: int = 1):
    return op.Cast(s, to=dtype)
