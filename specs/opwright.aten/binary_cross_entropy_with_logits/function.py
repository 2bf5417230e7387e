from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op

from ..softplus.function import log_beside_1


def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, *, reduction: Literal[0, 1, 2] = 1):
    x, y = _wide(self), _wide(target)
    # The logarithm of the sigmoid, without overflow.
    entropy = log_beside_1(-x)
    if pos_weight is not None:
        entropy = entropy * ((_wide(pos_weight) - 1) * y + 1)
    loss = (1 - y) * x + entropy
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
