from opwright import BFLOAT16, BOOL, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def sum(self):
    """Of truth values it is whether one is true."""
    if self.dtype == BOOL:
        return op.Cast(op.ReduceMax(op.Cast(self, to=UINT8), keepdims=False), to=BOOL)
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        return sum_of_integers(self, None, False)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceSum(op.Cast(self, to=FLOAT), keepdims=False), self)
    return op.ReduceSum(self, keepdims=False)


def sum_of_integers(x, axes, keepdims):
    """It wraps around, as in PyTorch. onnxruntime adds integers in double, which is exact to 53 bits: so the halves of
    64 bits are added each for itself."""
    if x.dtype != INT64:
        return op.CastLike(op.ReduceSum(op.Cast(x, to=INT64), axes, keepdims=keepdims), x)
    low = x & 0xFFFFFFFF
    high = (x - low) / (1 << 32)
    return op.ReduceSum(high, axes, keepdims=keepdims) * (1 << 32) + op.ReduceSum(low, axes, keepdims=keepdims)
