"""What SoftmaxCrossEntropyLoss is, in float64, sample by sample."""

import math

import numpy as np


def SoftmaxCrossEntropyLoss(scores, labels, weights=None, ignore_index=None, reduction="mean"):
    shifted = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
    log_prob = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return loss(log_prob, labels, weights, ignore_index, reduction), log_prob


def loss(log_prob, labels, weights, ignore_index, reduction):
    losses, shares = np.zeros(labels.shape), np.zeros(labels.shape)
    for place in np.ndindex(labels.shape):
        chosen = int(labels[place])
        if chosen != ignore_index:
            shares[place] = 1.0 if weights is None else weights[chosen]
            losses[place] = -log_prob[(place[0], chosen, *place[1:])] * shares[place]
    if reduction == "none":
        return losses
    total = exact_sum(losses)
    return total if reduction == "sum" else np.divide(total, exact_sum(shares))


def exact_sum(values):
    flat = values.ravel()
    return np.float64(math.fsum(flat) if np.isfinite(flat).all() else flat.sum())
