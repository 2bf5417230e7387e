from opwright import opset18 as op


def ravel(self):
    return op.Reshape(self, [-1])
