from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset13 as op


def HardSwish(X):
    """x * clip(x + 3, 0, 6) / 6: near -3 the sum is exact, where x / 6 + 0.5 cancels.

    Half-width types are computed in float. Greatest relative error on onnxruntime: 1.3e-7 in float; of the standard's
    body 1.2e-3, and it does not run in double, for which there is no HardSigmoid.
    """
    if X.dtype in (FLOAT16, BFLOAT16):
        return op.Cast(hard_swish(op.Cast(X, to=FLOAT)), to=X.dtype)
    return hard_swish(X)


def hard_swish(x):
    return x * (op.Clip(x + 3, 0, 6) / 6)
