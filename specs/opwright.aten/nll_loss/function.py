from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def nll_loss(self, target, weight=None, *, reduction: Literal[0, 1, 2] = 1, ignore_index: int = -100):
    x = _wide(self)
    if self.rank == 1:
        x, target = op.Unsqueeze(x, 0), op.Unsqueeze(target, 0)
    loss = op.NegativeLogLikelihoodLoss(
        x,
        target,
        None if weight is None else _wide(weight),
        reduction=("none", "mean", "sum")[reduction],
        ignore_index=ignore_index,
    )
    if self.rank == 1 and reduction == 0:
        loss = op.Squeeze(loss, 0)
    return op.Cast(loss, to=self.dtype) if self.dtype in (FLOAT16, BFLOAT16) else loss


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x
