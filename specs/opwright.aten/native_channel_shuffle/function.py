from opwright import opset18 as op


def native_channel_shuffle(self, groups):
    shape = op.Shape(self)
    parted = op.Concat(op.Shape(self, end=1), op.Unsqueeze(groups, 0), [-1], op.Shape(self, start=2), axis=0)
    x = op.Transpose(op.Reshape(self, parted), perm=[0, 2, 1, *range(3, self.rank + 1)])
    return op.Reshape(x, shape)
