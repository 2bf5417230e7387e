import math
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, INT32, INT64
from opwright import opset18 as op

from ..bucketize_Scalar.function import leads_to_end


def searchsorted_Scalar(
    sorted_sequence, self, sorter=None, *, out_int32: Literal[False, True] = False, right: Literal[False, True] = False
):
    numbers = sorted_sequence
    if sorter is not None:
        numbers = op.GatherElements(numbers, sorter, axis=-1)
    x = self
    if sorted_sequence.dtype in (FLOAT16, BFLOAT16):
        numbers, x = op.Cast(numbers, to=FLOAT), op.Cast(x, to=FLOAT)
    before = numbers <= x if right else numbers < x
    place = op.ReduceSum(op.Cast(before, to=INT32 if out_int32 else INT64), [0], keepdims=False)
    if sorted_sequence.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        size = op.Size(numbers)
        place = op.Where(leads_to_end(numbers, [math.nan], x, size, right), op.CastLike(size, place), place)
    return place
