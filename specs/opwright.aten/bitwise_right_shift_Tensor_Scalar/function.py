from opwright import INT64
from opwright import opset18 as op


def bitwise_right_shift_Tensor_Scalar(self, other):
    """A quotient by a power of 2, since `BitShift` takes no signed integers."""
    if self.dtype == INT64:
        return _shifted(self, other)
    return op.CastLike(_shifted(op.Cast(self, to=INT64), op.Cast(other, to=INT64)), self)


def _shifted(x, count):
    """Of a negative number the other bits are those that are moved. The last power is -2**63, and what it divides 0."""
    powers = op.Constant(value_ints=[*[1 << item for item in range(63)], -1 << 63])
    power = op.Gather(powers, op.Where((count < 0) | (count >= 64), 63, count))
    sign = -op.Cast(x < 0, to=INT64)
    return ((x ^ sign) / power) ^ sign
