from typing import Literal

from opwright import BFLOAT16, FLOAT, INT8, INT16, INT32, UINT8
from opwright import opset18 as op


def cumprod(self, dim: int, is_empty: Literal[False, True] = False):
    if is_empty:
        return self
    if self.dtype in (UINT8, INT8, INT16):
        return op.CastLike(products(op.Cast(self, to=INT32), dim), self)
    if self.dtype == BFLOAT16:
        return op.CastLike(products(op.Cast(self, to=FLOAT), dim), self)
    return products(self, dim)


def products(x, dim):
    if op.version >= 26:
        return op.CumProd(x, dim)
    product = op.Gather(x, 0, axis=dim)
    found = [product]
    for place in range(1, op.Gather(op.Shape(x), dim)):
        product = product * op.Gather(x, place, axis=dim)
        found.append(product)
    return op.ConcatFromSequence(found, axis=dim, new_axis=1)
