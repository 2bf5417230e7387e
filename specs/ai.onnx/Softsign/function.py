from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def Softsign(input):
    """input / (1 + |input|), in float for the half-width types: rounded once instead of twice."""
    if input.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(softsign(op.Cast(input, to=FLOAT)), to=input.dtype)
    return softsign(input)


def softsign(x):
    return x / (op.Abs(x) + 1)
