from opwright import opset18 as op


def float_power_Tensor_Tensor(self, exponent):
    return op.Pow(self, exponent)
