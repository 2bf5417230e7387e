from collections.abc import Sequence

import numpy as np
from opwright import opset18 as op


def triu_indices(offset, *, sizes: Sequence[int], dtype: int = 7):
    ones = op.ConstantOfShape(op.Constant(value_ints=sizes), value=np.array([1]))
    return op.Cast(op.NonZero(op.Trilu(ones, offset, upper=1)), to=dtype)
