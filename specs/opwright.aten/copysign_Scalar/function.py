from opwright import opset18 as op


def copysign_Scalar(self, other):
    size = op.Abs(self)
    # -0 is not below 0, and its reciprocal is.
    return op.Where(other + op.Reciprocal(other) < 0, -size, size)
