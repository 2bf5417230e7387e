"""number.numpy: Constants and numbers, made when the function is built."""

import numpy as np
from opwright import FLOAT, script
from opwright import opset18 as op

LIMITS = np.array([0.0, 6.0], dtype=np.float32)


@script()
def F(x: FLOAT["N"]):
    scale = np.sqrt(4.0) * np.prod((1, 2)) / np.float64(2)
    step = np.arange(2).reshape(1, 2).astype(np.float32)
    return op.Clip(x * scale, LIMITS[0], LIMITS[1]) + np.array([0.5], dtype=np.float32)[np.newaxis] + step
