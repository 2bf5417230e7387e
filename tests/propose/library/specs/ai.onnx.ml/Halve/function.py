from opwright import opset18 as op


def Halve(X):
    return X / 2, op.Size(X)
