from opwright import opset18 as op


def frac(self):
    return op.Mod(self, 1, fmod=1)
