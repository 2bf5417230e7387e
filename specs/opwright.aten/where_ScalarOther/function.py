from opwright import BOOL, INT16, INT32
from opwright import opset18 as op


def where_ScalarOther(condition, self, other):
    if self.dtype == BOOL:
        return condition & self | ~condition & other
    if self.dtype == INT16:
        return op.Cast(op.Where(condition, op.Cast(self, to=INT32), op.Cast(other, to=INT32)), to=INT16)
    return op.Where(condition, self, other)
