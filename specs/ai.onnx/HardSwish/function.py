from opwright import DOUBLE
from opwright import opset13 as op


def HardSwish(X):
    """x * clip(x + 3, 0, 6) / 6: near -3 the sum is exact, where x / 6 + 0.5 cancels.

    Everything is computed in double, and rounded once at the end. The standard's body has a relative error of 1.2e-3
    on onnxruntime in float, and does not run in double, for which there is no HardSigmoid.
    """
    x = op.Cast(X, to=DOUBLE)
    return like(x * (op.Clip(x + 3, 0, 6) / 6), X)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
