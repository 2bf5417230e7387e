from opwright import DOUBLE
from opwright import opset18 as op


def leaky_relu(self, negative_slope=None, *, slope: float = 0.01):
    if self.dtype == DOUBLE:  # whose digits the attribute does not have
        return op.Where(self < 0, self * (0.01 if negative_slope is None else negative_slope), self)
    assert negative_slope is None
    return op.LeakyRelu(self, alpha=slope)
