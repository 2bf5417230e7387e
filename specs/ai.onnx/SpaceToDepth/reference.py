"""What SpaceToDepth is: each place in a block becomes channels of its own."""

import numpy as np


def SpaceToDepth(input, blocksize, mode="DCR"):
    n, channels, h, w = input.shape
    result = np.empty((n, channels * blocksize**2, h // blocksize, w // blocksize), dtype=input.dtype)
    for i in range(blocksize):
        for j in range(blocksize):
            place = i * blocksize + j
            whole = slice(place * channels, (place + 1) * channels)
            filled = whole if mode == "DCR" else slice(place, None, blocksize**2)
            result[:, filled] = input[:, :, i::blocksize, j::blocksize]
    return result
