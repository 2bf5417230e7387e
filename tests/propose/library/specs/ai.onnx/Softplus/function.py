from opwright import opset13 as op


def Softplus(X):
    return op.Log(op.Exp(X) + 1)
