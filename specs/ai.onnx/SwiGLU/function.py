from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def SwiGLU(A, B, alpha: float = 1.0):
    """Swish of A times B. Half-width types are computed in float: between the two products nothing is rounded."""
    if A.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(swiglu(op.Cast(A, to=FLOAT), op.Cast(B, to=FLOAT), alpha), to=A.dtype)
    return swiglu(A, B, alpha)


def swiglu(a, b, alpha):
    return a / (op.Exp(alpha * -a) + 1) * b
