from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def corrcoef(self):
    """In float of float16 and bfloat16. Of a single variable it is a scalar."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    if self.rank in (0, 1):
        x = op.Reshape(x, [1, -1])
    centred = x - op.ReduceMean(x, [1])
    size = op.ReduceL2(centred, [1])
    products = op.MatMul(centred, op.Transpose(centred, perm=[1, 0]))
    result = op.Clip(products / size / op.Transpose(size, perm=[1, 0]), op.CastLike(-1, x), op.CastLike(1, x))
    result = op.Squeeze(result)
    return op.CastLike(result, self) if self.dtype in (FLOAT16, BFLOAT16) else result
