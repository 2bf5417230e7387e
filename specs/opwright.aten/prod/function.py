from opwright import BFLOAT16, BOOL, FLOAT, INT8, INT16, INT32, INT64, UINT8
from opwright import opset18 as op

_END = (1 << 63) - 1


def prod(self):
    """Of truth values it is whether all are true."""
    if self.dtype == BOOL:
        return op.Cast(op.ReduceMin(op.Cast(self, to=UINT8), keepdims=False), to=BOOL)
    if self.dtype in (UINT8, INT8, INT16, INT32, INT64):
        return op.Squeeze(product_of_integers(op.Reshape(self, [-1]), [0]))
    if self.dtype == BFLOAT16:
        return op.CastLike(op.ReduceProd(op.Cast(self, to=FLOAT), keepdims=False), self)
    return op.ReduceProd(self, keepdims=False)


def product_of_integers(x, axis):
    """That along a dimension, which stays with size 1. It wraps around, as in PyTorch: ReduceProd of onnxruntime
    multiplies integers in double. Of elements in pairs, as often as there is more than one; the first one is 1."""
    y = op.Pad(op.Cast(x, to=INT64), [1, 0], 1, axis)
    size = op.Gather(op.Shape(y), axis)
    while op.Squeeze(size) > 1:
        y = op.Pad(y, op.Concat(size % 2, [0], axis=0), 1, axis)
        size = (size + 1) / 2
        y = op.Slice(y, [0], size, axis) * op.Slice(y, size, [_END], axis)
    return op.CastLike(y, x)
