import math

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from opwright import opset18 as op


def nanmedian(self):
    x = op.Reshape(op.Cast(self, to=FLOAT) if self.dtype == BFLOAT16 else self, [-1])
    if self.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        return op.CastLike(of_numbers(x), self)
    values, _ = op.TopK(x, (op.Shape(x) + 1) / 2, largest=False)
    return op.Gather(values, -1)


def of_numbers(x):
    """nan is the median of no numbers."""
    numbers = op.Compress(x, ~op.IsNaN(x), axis=0)
    values, _ = op.TopK(numbers, (op.Shape(numbers) + 1) / 2, largest=False)
    return op.Gather(op.Concat([math.nan], values, axis=0), -1)
