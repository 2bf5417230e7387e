from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def unique2(self, return_inverse: Literal[False, True] = False, return_counts: Literal[False, True] = False):
    if self.dtype in (BOOL, UINT8, INT16, INT32):
        x = op.Cast(self, to=INT64)
    elif self.dtype == BFLOAT16:
        x = op.Cast(self, to=FLOAT)
    else:
        x = self
    values, _, inverse, counts = op.Unique(x)
    nothing = op.Constant(value_ints=[])
    return (
        op.CastLike(values, self) if self.dtype in (BOOL, UINT8, INT16, INT32, BFLOAT16) else values,
        op.Reshape(inverse, op.Shape(self)) if return_inverse else nothing,
        counts if return_counts else nothing,
    )
