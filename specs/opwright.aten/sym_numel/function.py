from opwright import opset18 as op


def sym_numel(self):
    return op.Size(self)
