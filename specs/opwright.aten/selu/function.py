from opwright import BFLOAT16, DOUBLE, FLOAT
from opwright import opset18 as op

ALPHA = 1.6732632423543772
SCALE = 1.0507009873554805


def selu(self):
    if self.dtype == DOUBLE:  # whose digits the attributes of Selu do not have
        return op.Where(self > 0, self, (op.Exp(self) - 1) * ALPHA) * SCALE
    if self.dtype == BFLOAT16 and op.version < 22:
        return op.Cast(op.Selu(op.Cast(self, to=FLOAT), alpha=ALPHA, gamma=SCALE), to=BFLOAT16)
    return op.Selu(self, alpha=ALPHA, gamma=SCALE)
