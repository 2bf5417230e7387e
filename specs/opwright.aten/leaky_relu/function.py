from opwright import DOUBLE
from opwright import opset18 as op


def leaky_relu(self, negative_slope=None):
    if self.dtype == DOUBLE:
        return op.Where(self < 0, self * (0.01 if negative_slope is None else negative_slope), self)
    return op.LeakyRelu(self, alpha=0.01) if negative_slope is None else op.PRelu(self, negative_slope)
