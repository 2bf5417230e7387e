from collections.abc import Sequence

import numpy as np
from opwright import opset18 as op


def tril_indices(offset, *, sizes: Sequence[int], dtype: int = 7):
    ones = op.ConstantOfShape(op.Constant(value_ints=sizes), value=np.array([1]))
    return op.Cast(op.NonZero(op.Trilu(ones, offset, upper=0)), to=dtype)
