from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16, INT64
from opwright import opset18 as op


def cross_entropy_loss(
    self,
    target,
    weight=None,
    label_smoothing=None,
    *,
    channels: Sequence[int],
    reduction: Literal[0, 1, 2] = 1,
    ignore_index: int = -100,
):
    x, weights = _wide(self), None if weight is None else _wide(weight)
    if target.dtype != INT64:
        beside = None if weights is None else op.Reshape(weights, channels)
        loss = _of_probabilities(x, op.CastLike(target, x), beside, label_smoothing, reduction)
    else:
        if self.rank == 1:
            x, target = op.Unsqueeze(x, 0), op.Unsqueeze(target, 0)
        if label_smoothing is None:
            loss = op.SoftmaxCrossEntropyLoss(
                x, target, weights, reduction=("none", "mean", "sum")[reduction], ignore_index=ignore_index
            )
        else:
            beside = None if weights is None else op.Reshape(weights, channels)
            loss = _smoothed(x, target, weights, beside, label_smoothing, reduction, ignore_index)
        if self.rank == 1 and reduction == 0:
            loss = op.Squeeze(loss, 0)
    return op.Cast(loss, to=self.dtype) if self.dtype in (FLOAT16, BFLOAT16) else loss


def _of_probabilities(x, target, weights, label_smoothing, reduction):
    classes = 0 if x.rank == 1 else 1
    count = op.CastLike(op.Squeeze(op.Shape(x, start=classes, end=classes + 1)), x)
    if label_smoothing is not None:
        share = op.CastLike(label_smoothing, x)
        target = target * (1 - share) + share / count
    terms = op.LogSoftmax(x, axis=classes) * target
    if weights is not None:
        terms = terms * weights
    loss = -op.ReduceSum(terms, [classes], keepdims=0)
    if reduction == 0:
        return loss
    total = op.ReduceSum(loss, keepdims=0)
    return total if reduction == 2 else total / (op.CastLike(op.Size(x), x) / count)


def _smoothed(x, target, weights, beside, label_smoothing, reduction, ignore_index):
    count = op.CastLike(op.Squeeze(op.Shape(x, start=1, end=2)), x)
    share = op.CastLike(label_smoothing, x)
    logs = op.LogSoftmax(x, axis=1)
    loss = op.NegativeLogLikelihoodLoss(logs, target, weights, reduction="none", ignore_index=ignore_index)
    counts = ~op.Equal(target, ignore_index)
    terms = logs if beside is None else logs * beside
    uniform = op.Where(counts, -op.ReduceSum(terms, [1], keepdims=0), op.CastLike(0, x))
    if reduction == 0:
        return loss * (1 - share) + uniform * (share / count)
    total = op.ReduceSum(loss, keepdims=0) * (1 - share) + op.ReduceSum(uniform, keepdims=0) * (share / count)
    if reduction == 2:
        return total
    each = op.CastLike(counts, x)
    if weights is not None:
        each = each * op.Gather(weights, op.Where(counts, target, op.CastLike(0, target)))
    return total / op.ReduceSum(each, keepdims=0)


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x
