from golden_ops import opset2 as golden


def Quad(X):
    return golden.Twice(golden.Twice(X))
