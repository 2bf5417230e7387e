from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op


def hardsigmoid(self):
    if self.dtype == DOUBLE:  # whose digits the attributes of HardSigmoid do not have
        return op.Clip(self + 3, 0, 6) / 6
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.HardSigmoid(op.Cast(self, to=FLOAT), alpha=1 / 6), to=BFLOAT16)
    return op.HardSigmoid(self, alpha=1 / 6)
