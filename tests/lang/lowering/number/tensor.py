"""number.tensor: The values of Constants, made in the function and around it."""

import onnx
from onnx import TensorProto
from opwright import FLOAT, script
from opwright import opset18 as op

HALF = onnx.helper.make_tensor("half", TensorProto.FLOAT, [1], [0.5])


@script()
def F(x: FLOAT["N"]):
    one = op.Constant(value=onnx.helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]))
    return x * op.Constant(value=HALF) + one
