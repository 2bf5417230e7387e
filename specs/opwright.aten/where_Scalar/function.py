from opwright import BOOL
from opwright import opset18 as op


def where_Scalar(condition, self, other):
    if self.dtype == BOOL:
        return condition & self | ~condition & other
    return op.Where(condition, self, other)
