from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op


def hardswish(self):
    if self.dtype == DOUBLE:  # whose digits the attributes of HardSwish do not have
        return self * op.Clip(self + 3, 0, 6) / 6
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.HardSwish(op.Cast(self, to=FLOAT)), to=BFLOAT16)
    return op.HardSwish(self)
