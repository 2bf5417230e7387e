"""What NegativeLogLikelihoodLoss is, in float64, sample by sample."""

import math

import numpy as np


def NegativeLogLikelihoodLoss(input, target, weight=None, ignore_index=None, reduction="mean"):
    losses, weights = np.zeros(target.shape), np.zeros(target.shape)
    for place in np.ndindex(target.shape):
        chosen = int(target[place])
        if chosen != ignore_index:
            weights[place] = 1.0 if weight is None else weight[chosen]
            losses[place] = -input[(place[0], chosen, *place[1:])] * weights[place]
    if reduction == "none":
        return losses
    total = exact_sum(losses)
    return total if reduction == "sum" else np.divide(total, exact_sum(weights))


def exact_sum(values):
    flat = values.ravel()
    return np.float64(math.fsum(flat) if np.isfinite(flat).all() else flat.sum())
