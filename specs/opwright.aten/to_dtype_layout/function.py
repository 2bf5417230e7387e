from opwright import opset18 as op


def to_dtype_layout(self, *, dtype: int | None = None):
    return self if dtype is None else op.Cast(self, to=dtype)
