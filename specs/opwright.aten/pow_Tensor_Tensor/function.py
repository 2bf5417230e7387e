from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, INT64, UINT8
from opwright import opset18 as op


def pow_Tensor_Tensor(self, exponent):
    """Of an integer a power below 0 is 0, but that of 1 and of -1."""
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.Pow(self, exponent)
    if self.dtype == UINT8:
        return _power(self, exponent)
    is_kept = (exponent >= 0) | (op.Abs(self) == 1)
    return _power(self, op.Abs(exponent)) * op.CastLike(is_kept, self)


def _power(base, exponent):
    """By squaring, since `Pow` computes integers in double, which is inexact beyond 53 bits."""
    base = base + (exponent - exponent)
    exponent = exponent + (base - base)
    result = base - base + 1
    while op.ReduceSum(op.Cast(exponent > 0, to=INT64), keepdims=0) > 0:
        result = result * ((base - 1) * (exponent & 1) + 1)
        base = base * base
        exponent = exponent / 2
    return result
