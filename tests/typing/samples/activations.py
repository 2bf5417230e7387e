"""An activation, and a dense layer that calls it."""

import math

from opwright import DOUBLE, FLOAT, script
from opwright import opset18 as op

M_SQRT1_2 = math.sqrt(0.5)


@script()
def gelu(X: FLOAT[...]) -> FLOAT[...]:
    """Each element times the probability that a normal variable is below it."""
    phiX = 0.5 * (op.Erf(M_SQRT1_2 * X) + 1.0)
    return X * phiX


@script()
def gemmgelu(A: FLOAT["M", "K"], W: FLOAT["K", "N"], Bias: FLOAT["N"]) -> FLOAT["M", "N"]:
    return gelu(op.Gemm(A, W, Bias, alpha=1.0, transB=0))


@script()
def halved(X: DOUBLE[...]) -> DOUBLE[...]:
    return X / 2
