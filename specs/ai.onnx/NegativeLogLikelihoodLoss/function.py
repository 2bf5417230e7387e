from typing import Literal

from opwright import DOUBLE, INT64
from opwright import opset13 as op


def NegativeLogLikelihoodLoss(
    input,
    target,
    weight=None,
    ignore_index: int | None = None,
    reduction: Literal["none", "sum", "mean"] = "mean",
):
    """What is ignored is replaced at the end, not multiplied by a weight of 0: 0 times infinity would be nan.

    Losses and weights are computed and summed in double, and the result is rounded once.
    """
    classes = op.Cast(target, to=INT64)
    if ignore_index is not None:
        ignored = classes == ignore_index
        classes = op.Where(ignored, 0, classes)  # a class that exists, whatever `ignore_index` is
    chosen = op.Squeeze(op.GatherElements(input, op.Unsqueeze(classes, [1]), axis=1), [1])
    loss = -op.Cast(chosen, to=DOUBLE)
    if weight is not None:
        share = op.Cast(op.Gather(weight, classes), to=DOUBLE)
        loss = loss * share
    if ignore_index is not None:
        loss = op.Where(ignored, 0, loss)
    if reduction != "none":
        loss = op.ReduceSum(loss, keepdims=0)
    if reduction == "mean":
        if weight is None and ignore_index is None:
            total = op.Cast(op.Size(classes), to=DOUBLE)
        elif weight is None:
            total = op.ReduceSum(op.Cast(~ignored, to=DOUBLE), keepdims=0)
        elif ignore_index is None:
            total = op.ReduceSum(share, keepdims=0)
        else:
            total = op.ReduceSum(op.Where(ignored, 0, share), keepdims=0)
        loss = loss / total
    return like(loss, input)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
