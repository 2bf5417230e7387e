import math
from typing import Literal

from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def pow_Tensor_Scalar(self, exponent=None, root: Literal["sqrt", "rsqrt"] = "sqrt"):
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        if exponent is not None:
            return op.Pow(self, exponent)
        if self.dtype == FLOAT16:  # PyTorch computes powers there, of -0 and -inf as of 0 and inf
            self = op.Where((self == 0) | (self == -math.inf), op.Abs(self), self)
        return op.Sqrt(self) if root == "sqrt" else op.Reciprocal(op.Sqrt(self))
    assert exponent is not None
    if self.dtype == BOOL:
        return self | ~exponent
    return _power(self, exponent)


def _power(base, exponent):
    """By squaring, since `Pow` computes integers in double, which is inexact beyond 53 bits."""
    result = base - base + 1
    while exponent > 0:
        result = result * ((base - 1) * (exponent & 1) + 1)
        base = base * base
        exponent = exponent / 2
    return result
