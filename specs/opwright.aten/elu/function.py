from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def elu(self, alpha=None, scale=None, input_scale=None):
    if self.dtype in (FLOAT16, BFLOAT16):
        wide = [None if item is None else op.Cast(item, to=FLOAT) for item in (alpha, scale, input_scale)]
        return op.Cast(value(op.Cast(self, to=FLOAT), *wide), to=self.dtype)
    return value(self, alpha, scale, input_scale)


def value(x, alpha, scale, input_scale):
    if input_scale is None and x.dtype != DOUBLE:
        y = op.Elu(x, alpha=1.0)
        if alpha is not None:
            y = op.PRelu(y, alpha)
    else:
        y = op.Exp(x if input_scale is None else x * input_scale) - 1
        y = op.Where(x > 0, x, y if alpha is None else y * alpha)
    return y if scale is None else y * scale
