from typing import Literal

from opwright import opset18 as op


def float_power_Tensor_Scalar(self, exponent=None, root: Literal["sqrt", "rsqrt"] = "sqrt"):
    if exponent is not None:
        return op.Pow(self, exponent)
    return op.Sqrt(self) if root == "sqrt" else op.Reciprocal(op.Sqrt(self))
