from opwright import UINT8
from opwright import opset13 as op


def DynamicQuantizeLinear(x):
    """Where all of x is zero its scale is 0, and nothing is divided by it: y and the zero point are 0, not 0 / 0.

    -low / scale never leaves [0, 255] by more than its rounding, so the zero point needs no Clip.
    """
    low = op.Min(op.ReduceMin(x, keepdims=0), 0)
    high = op.Max(op.ReduceMax(x, keepdims=0), 0)
    scale = (high - low) / 255
    divisor = op.Where(scale == 0, 1, scale)
    zero_point = op.Cast(op.Round(-low / divisor), to=UINT8)
    return op.QuantizeLinear(x, divisor, zero_point), scale, zero_point
