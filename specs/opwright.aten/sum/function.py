from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def sum(self):
    """Of truth values it is whether one is true."""
    if self.dtype == BOOL:
        return op.Cast(op.ReduceMax(op.Cast(self, to=UINT8), keepdims=False), to=BOOL)
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        return sum_of_integers(self, lambda x: op.ReduceSum(x, keepdims=False))
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceSum(op.Cast(self, to=FLOAT), keepdims=False), self)
    return op.ReduceSum(self, keepdims=False)


def sum_of_integers(x, add):
    """Of `add`, which sums doubles. It wraps around, as in PyTorch. onnxruntime adds integers in double too, which is
    exact to 53 bits: so parts of at most 22 bits are added each for itself, of which 2**31 elements have exact sums."""
    if x.dtype not in (INT32, INT64):
        return op.CastLike(op.Cast(add(op.Cast(x, to=DOUBLE)), to=INT64), x)
    y = op.Cast(x, to=INT64)
    low = sum_of_bits(y, (1 << 22) - 1, 1, add)
    if x.dtype == INT32:
        return op.CastLike(low + sum_of_bits(y, -(1 << 22), 1 << 22, add), x)
    return low + sum_of_bits(y, (1 << 43) - (1 << 22), 1 << 22, add) + sum_of_bits(y, -(1 << 43), 1 << 43, add)


def sum_of_bits(x, mask: int, unit: int, add):
    """The sum of what the mask leaves of each element: multiples of the unit, a power of two."""
    return op.Cast(add(op.Cast(x & mask, to=DOUBLE)) / unit, to=INT64) * unit
