from opwright import opset13 as op


def Softplus(X):
    """log(exp(x) + 1) overflows above x = 88 in float; this form does not."""
    return op.Relu(X) + op.Log(op.Exp(-op.Abs(X)) + 1)
