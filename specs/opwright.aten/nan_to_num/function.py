from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def nan_to_num(self, nan=None, posinf=None, neginf=None):
    if self.dtype not in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Identity(self)
    if self.dtype == FLOAT16:
        greatest = 65504.0
    elif self.dtype == BFLOAT16:
        greatest = 3.3895313892515355e38
    else:
        greatest = 3.4028234663852886e38 if self.dtype == FLOAT else 1.7976931348623157e308
    x = op.Where(op.IsNaN(self), 0 if nan is None else nan, self)
    if posinf is not None:
        x = op.Where(self == float("inf"), posinf, x)
    if neginf is not None:
        x = op.Where(self == float("-inf"), neginf, x)
    if posinf is None or neginf is None:
        x = op.Clip(x, None if neginf is not None else -greatest, None if posinf is not None else greatest)
    return x
