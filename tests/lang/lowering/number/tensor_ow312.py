"""number.tensor, OW312: A tensor of two items has two values."""

import onnx
from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return x + op.Constant(value=onnx.helper.make_tensor("two", 1, [2], [1.0]))
