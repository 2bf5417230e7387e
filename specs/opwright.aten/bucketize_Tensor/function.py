import math
from typing import Literal

from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, INT32, INT64
from opwright import opset18 as op

from ..bucketize_Scalar.function import leads_to_end


def bucketize_Tensor(boundaries, self, *, out_int32: Literal[False, True] = False, right: Literal[False, True] = False):
    numbers, x = op.Unsqueeze(boundaries, [1]), op.Reshape(self, [1, -1])
    if boundaries.dtype in (FLOAT16, BFLOAT16):
        numbers, x = op.Cast(numbers, to=FLOAT), op.Cast(x, to=FLOAT)
    before = numbers <= x if right else numbers < x
    # Without elements onnxruntime reduces no dimension that is counted from the end.
    places = op.ReduceSum(op.Cast(before, to=INT32 if out_int32 else INT64), [0], keepdims=False)
    if boundaries.dtype in (FLOAT16, BFLOAT16, FLOAT, DOUBLE):
        size = op.Size(numbers)
        places = op.Where(leads_to_end(numbers, [[math.nan]], x, size, right), op.CastLike(size, places), places)
    return op.Reshape(places, op.Shape(self), allowzero=1)
