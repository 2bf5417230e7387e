from opwright import opset18 as op


def one_hot(self, num_classes: int | None = None):
    x = op.Reshape(self, [1]) if self.rank == 0 else self
    depth = op.ReduceMax(x, keepdims=False) + 1 if num_classes is None else op.Constant(value_int=num_classes)
    y = op.OneHot(x, depth, [0, 1])
    return op.Squeeze(y, [0]) if self.rank == 0 else y
