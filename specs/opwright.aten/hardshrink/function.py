from opwright import opset18 as op


def hardshrink(self, lambd=None):
    return op.Where(op.Abs(self) <= (0.5 if lambd is None else lambd), 0, self)
