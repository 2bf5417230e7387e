from typing import Literal

from opwright import BFLOAT16, FLOAT
from opwright import opset18 as op


def isin_Tensor_Scalar(elements, test_element, *, invert: Literal[False, True] = False):
    x, among = elements, test_element
    if x.dtype == BFLOAT16:
        x, among = op.Cast(x, to=FLOAT), op.Cast(among, to=FLOAT)
    found = x == among
    return ~found if invert else found
