from typing import Literal

from opwright import BFLOAT16, FLOAT, INT32, INT64
from opwright import opset18 as op


def searchsorted_Scalar(
    sorted_sequence, self, sorter=None, *, out_int32: Literal[False, True] = False, right: Literal[False, True] = False
):
    numbers = sorted_sequence
    if sorter is not None:
        numbers = op.GatherElements(numbers, sorter, axis=-1)
    x = self
    if sorted_sequence.dtype == BFLOAT16:
        numbers, x = op.Cast(numbers, to=FLOAT), op.Cast(x, to=FLOAT)
    # Those before the position are not larger than it, or not as large: of nan, which is neither, all of them.
    before = ~(numbers > x) if right else ~(numbers >= x)
    return op.ReduceSum(op.Cast(before, to=INT32 if out_int32 else INT64), [0], keepdims=False)
