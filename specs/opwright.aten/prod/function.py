from opwright import BFLOAT16, BOOL, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def prod(self):
    """Of truth values it is whether all are true."""
    if self.dtype == BOOL:
        return op.Cast(op.ReduceMin(op.Cast(self, to=UINT8), keepdims=False), to=BOOL)
    if self.dtype in (UINT8, INT8, INT16):
        return op.CastLike(op.ReduceProd(op.Cast(self, to=INT32), keepdims=False), self)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceProd(op.Cast(self, to=FLOAT), keepdims=False), self)
    return op.ReduceProd(self, keepdims=False)
