from opwright import opset18 as op


def embedding(weight, indices):
    return op.Gather(weight, indices)
