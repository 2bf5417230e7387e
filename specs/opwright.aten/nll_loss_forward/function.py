from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def nll_loss_forward(self, target, weight=None, *, reduction: Literal[0, 1, 2], ignore_index: int):
    x = _wide(self)
    if self.rank == 1:
        x, target = op.Unsqueeze(x, 0), op.Unsqueeze(target, 0)
    weights = None if weight is None else _wide(weight)
    loss = op.NegativeLogLikelihoodLoss(
        x, target, weights, reduction=("none", "mean", "sum")[reduction], ignore_index=ignore_index
    )
    if self.rank == 1 and reduction == 0:
        loss = op.Squeeze(loss, 0)
    if self.rank == 2 and reduction == 0:
        total = op.CastLike(0, x)
    else:
        counts = ~op.Equal(target, ignore_index)
        total = op.CastLike(counts, x)
        if weights is not None:
            total = total * op.Gather(weights, op.Where(counts, target, op.CastLike(0, target)))
        total = op.ReduceSum(total, keepdims=0)
    if self.dtype in (FLOAT16, BFLOAT16):
        loss, total = op.Cast(loss, to=self.dtype), op.Cast(total, to=self.dtype)
    return loss, total


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x
