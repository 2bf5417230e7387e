from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, INT32
from opwright import opset18 as op


def isin_Scalar_Tensor(element, test_elements, *, invert: Literal[False, True] = False):
    x, among = element, test_elements
    if x.dtype == BFLOAT16:
        x, among = op.Cast(x, to=FLOAT), op.Cast(among, to=FLOAT)
    equal = op.Unsqueeze(x, [-1]) == op.Reshape(among, [-1])
    found = op.Cast(op.ReduceSum(op.Cast(equal, to=INT32), [0], keepdims=False), to=BOOL)
    return ~found if invert else found
