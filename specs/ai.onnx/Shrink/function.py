from opwright import DOUBLE, FLOAT, FLOAT16, INT64
from opwright import opset13 as op


def Shrink(input, bias: float = 0.0, lambd: float = 0.5):
    """The threshold is compared as it is, unrounded, in every type; unsigned integers, whose negative the standard's
    body would need, work like the others.

    Integers are moved by the whole part of bias, in int64: exact, and modulo 2^64 as the type's own arithmetic is.
    """
    if input.dtype in (FLOAT, DOUBLE):
        return shrink(input, input, lambd, bias)
    if input.dtype == FLOAT16:
        x = op.Cast(input, to=FLOAT)
        return op.Cast(shrink(x, x, lambd, bias), to=FLOAT16)
    x = op.Cast(input, to=INT64)
    return op.Cast(shrink(op.Cast(input, to=DOUBLE), x, lambd, op.Cast(bias, to=INT64)), to=input.dtype)


def shrink(measured, x, lambd, bias):
    return op.Where(measured < -lambd, x + bias, op.Where(measured > lambd, x - bias, 0))
