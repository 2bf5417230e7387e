from opwright import opset18 as op


def polar(abs, angle):
    return op.Concat(op.Unsqueeze(abs * op.Cos(angle), -1), op.Unsqueeze(abs * op.Sin(angle), -1), axis=-1)
