from opwright import INT64
from opwright import opset18 as op


def hardtanh(self, min_val, max_val):
    if self.dtype == INT64:  # kernels for it lose what is beyond int32
        x = op.Where(self < min_val, min_val, self)
        return op.Where(x > max_val, max_val, x)
    return op.Clip(self, min_val, max_val)
