"""What DepthToSpace is: each element of the result is taken from the channel that its place in the block names."""

import numpy as np


def DepthToSpace(input, blocksize, mode="DCR"):
    n, channels, h, w = input.shape
    depth = channels // blocksize**2
    result = np.empty((n, depth, h * blocksize, w * blocksize), dtype=input.dtype)
    for i in range(blocksize):
        for j in range(blocksize):
            place = i * blocksize + j
            taken = slice(place * depth, (place + 1) * depth) if mode == "DCR" else slice(place, None, blocksize**2)
            result[:, :, i::blocksize, j::blocksize] = input[:, taken]
    return result
