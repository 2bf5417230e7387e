"""call.operator: Positional arguments are inputs, named ones attributes; an input may be named too."""

from opwright import FLOAT, script
from opwright import opset18 as op


@script()
def F(x: FLOAT["M", "N"]):
    return op.Softmax(x, axis=0) + op.MatMul(A=x, B=op.Transpose(x))[:, :1]
