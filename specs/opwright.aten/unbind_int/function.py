from opwright import opset18 as op


def unbind_int(self, count: int, dim: int = 0):
    return tuple(op.Gather(self, place, axis=dim) for place in range(count))
