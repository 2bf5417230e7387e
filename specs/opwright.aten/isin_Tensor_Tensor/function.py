from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, INT32
from opwright import opset18 as op


def isin_Tensor_Tensor(elements, test_elements, *, invert: Literal[False, True] = False):
    x, among = elements, test_elements
    if x.dtype == BFLOAT16:
        x, among = op.Cast(x, to=FLOAT), op.Cast(among, to=FLOAT)
    # Without elements onnxruntime reduces no dimension that is counted from the end.
    equal = op.Reshape(among, [-1, 1]) == op.Reshape(x, [1, -1])
    found = op.Cast(op.ReduceSum(op.Cast(equal, to=INT32), [0], keepdims=False), to=BOOL)
    return op.Reshape(~found if invert else found, op.Shape(x), allowzero=1)
