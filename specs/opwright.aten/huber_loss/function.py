from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def huber_loss(self, target, delta, *, reduction: Literal[0, 1, 2] = 1):
    distance = op.Abs(_wide(self) - _wide(target))
    limit = op.CastLike(delta, distance)
    loss = op.Where(distance <= limit, distance * distance * 0.5, limit * (distance - limit * 0.5))
    return _reduced(loss, reduction, self.dtype)


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x


def _reduced(x, reduction, dtype):
    if reduction == 1:
        x = op.ReduceMean(x, keepdims=0)
    elif reduction == 2:
        x = op.ReduceSum(x, keepdims=0)
    return op.Cast(x, to=dtype) if dtype in (FLOAT16, BFLOAT16) else x
