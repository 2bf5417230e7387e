"""number.scalar: A tensor of its type, a number, and the value of an attribute."""

import numpy as np
from opwright import FLOAT, script
from opwright import opset18 as op

HALF = np.float32(0.5)


@script()
def F(x: FLOAT["N"]):
    return op.Concat(x * HALF, x + np.float64(1), axis=np.int32(0))
