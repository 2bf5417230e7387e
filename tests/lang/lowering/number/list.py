"""number.list: A list of numbers is a tensor where an operator wants one. A number where ONNX wants a list (a shape,
axes, sizes) is a list of one; a tensor of rank 0 is none."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["N"]):
    return op.Reshape(op.Unsqueeze(x, 0), [-1, 1])
