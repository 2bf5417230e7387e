from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op

from ..prod.function import product_of_integers


def prod_dim_int(self, dim: int, keepdim: Literal[False, True] = False):
    """Of truth values it is whether all are true."""
    axes = op.Constant(value_ints=[dim])
    if self.dtype == BOOL:
        return op.Cast(op.ReduceMin(op.Cast(self, to=UINT8), axes, keepdims=keepdim), to=BOOL)
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        y = product_of_integers(self, axes)
        return y if keepdim else op.Squeeze(y, axes)
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceProd(op.Cast(self, to=FLOAT), axes, keepdims=keepdim), self)
    return op.ReduceProd(self, axes, keepdims=keepdim)
