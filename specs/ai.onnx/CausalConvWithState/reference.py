"""What CausalConvWithState is, in float64."""

import numpy as np


def CausalConvWithState(input, weight, bias=None, past_state=None, activation="none"):
    batch, channels, length = input.shape
    k = weight.shape[2]
    past = np.zeros((batch, channels, k - 1)) if past_state is None else past_state
    padded = np.concatenate([past, input], axis=2)
    y = np.zeros(input.shape)
    for tap in range(k):
        y += weight[:, :, tap] * padded[:, :, tap : tap + length]
    if bias is not None:
        y += bias[:, None]
    if activation != "none":
        with np.errstate(over="ignore"):
            y = y / (1.0 + np.exp(-y))
    return y, padded[:, :, length:]
