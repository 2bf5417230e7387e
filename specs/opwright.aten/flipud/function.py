from opwright import opset18 as op


def flipud(self):
    return op.Slice(self, [-1], [-(1 << 63)], [0], [-1])
