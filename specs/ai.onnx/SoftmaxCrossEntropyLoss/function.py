from typing import Literal

from opwright import DOUBLE
from opwright import opset13 as op
from opwright_std import opset28 as std


def SoftmaxCrossEntropyLoss(
    scores,
    labels,
    weights=None,
    ignore_index: int | None = None,
    reduction: Literal["none", "sum", "mean"] = "mean",
):
    """The loss of log-probabilities that are still double: they are rounded once for `log_prob`, and not for the loss.

    Shifted by the largest score, no exponential overflows, and never all vanish.
    """
    x = op.Cast(scores, to=DOUBLE)
    shifted = x - largest(x)
    log_prob = shifted - op.Log(op.ReduceSum(op.Exp(shifted), [1]))
    if weights is not None:
        weights = op.Cast(weights, to=DOUBLE)
    loss = std.NegativeLogLikelihoodLoss(log_prob, labels, weights, ignore_index=ignore_index, reduction=reduction)
    return like(loss, scores), like(log_prob, scores)


def largest(x):
    """Along the classes, which are dimension 1."""
    if op.version < 18:
        return op.ReduceMax(x, axes=[1])
    return op.ReduceMax(x, [1])


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
