from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def binary_cross_entropy(self, target, weight=None, *, reduction: Literal[0, 1, 2] = 1):
    x, y = _wide(self), _wide(target)
    loss = (y - 1) * op.Max(op.Log(1 - x), op.CastLike(-100, x)) - y * op.Max(op.Log(x), op.CastLike(-100, x))
    if weight is not None:
        loss = loss * _wide(weight)
    return _reduced(loss, reduction, self.dtype)


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x


def _reduced(x, reduction, dtype):
    if reduction == 1:
        x = op.ReduceMean(x, keepdims=0)
    elif reduction == 2:
        x = op.ReduceSum(x, keepdims=0)
    return op.Cast(x, to=dtype) if dtype in (FLOAT16, BFLOAT16) else x
