from opwright import opset18 as op


def max_unpool2d(self, indices, output_size):
    leading = op.Shape(self, end=-2)
    lines = op.Concat(leading, op.ReduceProd(op.Shape(self, start=-2)), axis=0)
    zeros = op.Expand(op.CastLike(0, self), op.Concat(leading, op.ReduceProd(output_size), axis=0))
    y = op.ScatterElements(zeros, op.Reshape(indices, lines), op.Reshape(self, lines), axis=-1)
    return op.Reshape(y, op.Concat(leading, output_size, axis=0), allowzero=1)
