from typing import Literal

from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def addbmm(self, batch1, batch2, beta=None, alpha=None, *, drops_self: Literal[0, 1] = 0):
    """A term whose factor is 0 is left out, whatever its elements are."""
    y = _product(batch1, batch2)
    if alpha is not None:
        y = y * op.CastLike(alpha, y)
    if not drops_self:
        x = op.CastLike(self, y) if self.dtype in (BFLOAT16, UINT8, INT8, INT16) else self
        y = y + (x if beta is None else x * op.CastLike(beta, x))
    return op.CastLike(y, self) if self.dtype in (BFLOAT16, UINT8, INT8, INT16) else y


def _product(first, second):
    """In a type that runtimes have products of. Those of narrow integers wrap around in int32 as in their own type."""
    if first.dtype == BFLOAT16:
        first, second = op.Cast(first, to=FLOAT), op.Cast(second, to=FLOAT)
    elif first.dtype in (UINT8, INT8, INT16):
        first, second = op.Cast(first, to=INT32), op.Cast(second, to=INT32)
    return op.Einsum(first, second, equation="bmk,bkn->mn")
