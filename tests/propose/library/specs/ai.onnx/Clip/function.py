from opwright import opset13 as op


def Clip(input, min=None, max=None):
    if min is not None:
        input = op.Max(input, min)
    if max is not None:
        input = op.Min(input, max)
    return input
