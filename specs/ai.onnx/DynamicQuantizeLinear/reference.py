"""What DynamicQuantizeLinear is: every step in float32, as the operator's types say, since rounding decides."""

import numpy as np


def DynamicQuantizeLinear(x):
    x = x.astype(np.float32)
    low = np.minimum(np.min(x, initial=np.float32(0)), np.float32(0))
    high = np.maximum(np.max(x, initial=np.float32(0)), np.float32(0))
    scale = np.float32((high - low) / np.float32(255))
    if scale == 0:
        return np.zeros(x.shape, np.uint8), np.float64(0.0), np.uint8(0)
    zero_point = np.rint(np.clip(np.float32(0) - low / scale, 0, 255))
    y = np.clip(np.rint(x / scale) + zero_point, 0, 255)
    return y.astype(np.uint8), np.float64(scale), zero_point.astype(np.uint8)
