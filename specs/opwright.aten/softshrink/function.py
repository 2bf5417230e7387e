from opwright import opset18 as op


def softshrink(self, lambd=None):
    return self - (op.Clip(self, -0.5, 0.5) if lambd is None else op.Clip(self, -lambd, lambd))
