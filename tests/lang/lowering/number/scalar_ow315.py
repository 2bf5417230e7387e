"""number.scalar, OW315: ONNX defines no promotion of int32 and int64."""

import numpy as np
from opwright import INT64, script
from opwright import opset18 as op


@script()
def F(x: INT64["N"]):
    return op.Add(x, np.int32(5))
