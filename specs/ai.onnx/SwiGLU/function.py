from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def SwiGLU(A, B, alpha: float = 1.0):
    """a / (1 + exp(-alpha * a)) * b, which keeps the digits of a far negative a, where Sigmoid is 0.

    Half-width types are computed in float, and rounded once at the end.
    """
    if A.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(swiglu(op.Cast(A, to=FLOAT), op.Cast(B, to=FLOAT), alpha), to=A.dtype)
    return swiglu(A, B, alpha)


def swiglu(a, b, alpha):
    return a / (op.Exp(alpha * -a) + 1) * b
