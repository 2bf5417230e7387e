from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def cosine_embedding_loss(input1, input2, target, margin=None, *, reduction: Literal[0, 1, 2] = 1):
    x, y = _wide(input1), _wide(input2)
    # As PyTorch has it, whatever the element type.
    tiny = op.CastLike(1e-12, x)
    axes = [target.rank]
    squares = (op.ReduceSum(x * x, axes, keepdims=0) + tiny) * (op.ReduceSum(y * y, axes, keepdims=0) + tiny)
    cosine = op.ReduceSum(x * y, axes, keepdims=0) / op.Sqrt(squares)
    above = cosine if margin is None else cosine - op.CastLike(margin, cosine)
    zero = op.CastLike(0, cosine)
    loss = op.Where(target == 1, 1 - cosine, zero) + op.Where(target == -1, op.Max(above, zero), zero)
    return _reduced(loss, reduction, input1.dtype)


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x


def _reduced(x, reduction, dtype):
    if reduction == 1:
        x = op.ReduceMean(x, keepdims=0)
    elif reduction == 2:
        x = op.ReduceSum(x, keepdims=0)
    return op.Cast(x, to=dtype) if dtype in (FLOAT16, BFLOAT16) else x
