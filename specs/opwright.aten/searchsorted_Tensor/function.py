import math
from typing import Literal

from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64
from opwright import opset18 as op

from ..bucketize_Scalar.function import HALVES


def searchsorted_Tensor(
    sorted_sequence,
    self,
    sorter=None,
    *,
    out_int32: Literal[False, True] = False,
    right: Literal[False, True] = False,
    rank: int,
):
    numbers = sorted_sequence
    if sorter is not None:
        numbers = op.GatherElements(numbers, sorter, axis=-1)
    if sorted_sequence.rank > 1:
        numbers = op.Unsqueeze(numbers, [-2])
    x = op.Unsqueeze(self, [-1])
    if sorted_sequence.dtype in (FLOAT16, BFLOAT16):
        numbers, x = op.Cast(numbers, to=FLOAT), op.Cast(x, to=FLOAT)
    last = op.Constant(value_ints=[rank])
    before = numbers <= x if right else numbers < x
    places = op.ReduceSum(op.Cast(before, to=INT32 if out_int32 else INT64), last, keepdims=False)
    if sorted_sequence.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        size = op.Gather(op.Shape(numbers), -1)
        to_end = op.ReduceMin(_passed(numbers, x, size, right), last, keepdims=False)
        places = op.Where(op.Cast(to_end, to=BOOL), op.CastLike(size, places), places)
    return places


def _passed(numbers, x, size, right):
    """Of the numbers at which PyTorch looks on the way to the end those behind which it goes on: that are not larger
    than x, or not as large, which is so where one of both is nan."""
    first = op.Expand(op.CastLike(math.nan, numbers), op.Concat(op.Shape(numbers, end=-1), [1], axis=0))
    seen = op.Gather(op.Concat(first, numbers, axis=-1), -((size + 1) / op.Constant(value_ints=HALVES)), axis=-1)
    return op.Cast(~(seen > x) if right else ~(seen >= x), to=INT32)
