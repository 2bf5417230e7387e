from typing import Literal

from opwright import BFLOAT16, FLOAT, INT32, INT64
from opwright import opset18 as op


def bucketize_Tensor(boundaries, self, *, out_int32: Literal[False, True] = False, right: Literal[False, True] = False):
    numbers, x = op.Unsqueeze(boundaries, [1]), op.Reshape(self, [1, -1])
    if boundaries.dtype == BFLOAT16:
        numbers, x = op.Cast(numbers, to=FLOAT), op.Cast(x, to=FLOAT)
    # Those before the position are not larger than it, or not as large: of nan, which is neither, all of them.
    before = ~(numbers > x) if right else ~(numbers >= x)
    # Without elements onnxruntime reduces no dimension that is counted from the end.
    places = op.ReduceSum(op.Cast(before, to=INT32 if out_int32 else INT64), [0], keepdims=False)
    return op.Reshape(places, op.Shape(self), allowzero=1)
