from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def cov(self, correction=None, fweights=None, aweights=None):
    """In float of float16 and bfloat16. Of a single variable it is a scalar."""
    x = op.Cast(self, to=FLOAT) if self.dtype in (FLOAT16, BFLOAT16) else self
    if self.rank in (0, 1):
        x = op.Reshape(x, [1, -1])
    off = op.CastLike(1, x) if correction is None else op.CastLike(correction, x)
    frequency = None if fweights is None else op.CastLike(fweights, x)
    importance = None if aweights is None else op.CastLike(aweights, x)
    if frequency is None and importance is None:
        centred = x - op.ReduceMean(x, [1])
        weighted = centred
        count = op.CastLike(op.Gather(op.Shape(x), 1), x) - off
    else:
        if frequency is None:
            weights = importance
        elif importance is None:
            weights = frequency
        else:
            weights = frequency * importance
        total = op.ReduceSum(weights, keepdims=False)
        centred = x - op.ReduceSum(x * weights, [1]) / total
        weighted = centred * weights
        if importance is None:
            count = total - off
        else:
            count = total - off * op.ReduceSum(weights * importance, keepdims=False) / total
    result = op.MatMul(centred, op.Transpose(weighted, perm=[1, 0])) / op.Max(count, 0)
    result = op.Squeeze(result)
    return op.CastLike(result, self) if self.dtype in (FLOAT16, BFLOAT16) else result
