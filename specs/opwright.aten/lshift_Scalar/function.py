from opwright import INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op


def lshift_Scalar(self, other):
    """A product with a power of 2, since `BitShift` takes no signed integers."""
    if self.dtype in (UINT8, INT8):
        return self * _power_of_2(other, 8)
    if self.dtype == INT16:
        return self * _power_of_2(other, 16)
    return self * _power_of_2(other, 32 if self.dtype == INT32 else 64)


def _power_of_2(exponent, bits):
    """0 where all bits go."""
    powers = op.Constant(value_ints=[*[1 << item for item in range(63)], -1 << 63, 0])
    place = op.Cast(exponent, to=INT64)
    place = op.Where((place < 0) | (place >= bits), 64, place)
    return op.CastLike(op.Gather(powers, place), exponent)
