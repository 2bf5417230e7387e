from opwright import opset18 as op


def float_power_Scalar(self, exponent):
    return op.Pow(self, exponent)
