import math
from typing import Literal

from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64
from opwright import opset18 as op

# PyTorch halves the numbers that are left. On the way to the end of n numbers it looks at those that are (n + 1) / 2,
# (n + 1) / 4 and so on before it.
HALVES = [2**i for i in range(1, 32)]


def bucketize_Scalar(boundaries, self, *, out_int32: Literal[False, True] = False, right: Literal[False, True] = False):
    numbers = boundaries
    x = self
    if boundaries.dtype in (FLOAT16, BFLOAT16):
        numbers, x = op.Cast(numbers, to=FLOAT), op.Cast(x, to=FLOAT)
    before = numbers <= x if right else numbers < x
    place = op.ReduceSum(op.Cast(before, to=INT32 if out_int32 else INT64), [0], keepdims=False)
    if boundaries.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        size = op.Size(numbers)
        place = op.Where(leads_to_end(numbers, [math.nan], x, size, right), op.CastLike(size, place), place)
    return place


def leads_to_end(numbers, nan, x, size, right):
    """Whether PyTorch goes on behind each number that it looks at: those that are not larger than x, or not as large,
    which is so where one of both is nan. `nan` is one of the rank of the numbers."""
    padded = op.Concat(op.CastLike(nan, numbers), numbers, axis=0)
    seen = op.Gather(padded, -((size + 1) / op.Constant(value_ints=HALVES)), axis=0)
    passed = ~(seen > x) if right else ~(seen >= x)
    return op.Cast(op.ReduceMin(op.Cast(passed, to=INT32), [0], keepdims=False), to=BOOL)
