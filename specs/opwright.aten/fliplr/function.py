from opwright import opset18 as op


def fliplr(self):
    return op.Slice(self, [-1], [-(1 << 63)], [1], [-1])
