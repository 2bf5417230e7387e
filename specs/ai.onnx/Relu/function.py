from opwright import BFLOAT16, FLOAT, INT16, INT32
from opwright import opset13 as op


def Relu(X):
    """max(X, 0), as the standard's own body; nan stays nan.

    onnxruntime has no Max for int16 and bfloat16: those pass through the next wider type, which changes no value.
    """
    if X.dtype == INT16:
        return op.Cast(op.Max(op.Cast(X, to=INT32), 0), to=INT16)
    if X.dtype == BFLOAT16:
        return op.Cast(op.Max(op.Cast(X, to=FLOAT), 0), to=BFLOAT16)
    return op.Max(X, 0)
