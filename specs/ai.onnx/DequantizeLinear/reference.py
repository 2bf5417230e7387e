"""What DequantizeLinear is: steps from the zero point, times the scale, in float, as all is that arrives."""

import numpy as np


def DequantizeLinear(x, x_scale, x_zero_point=None, axis=1, block_size=0, output_dtype=0):
    steps = x.astype(np.int64)
    if x_zero_point is not None:
        steps = steps - spread(x_zero_point.astype(np.int64), x.shape, axis, block_size)
    return steps.astype(np.float32) * spread(x_scale.astype(np.float32), x.shape, axis, block_size)


def spread(values, shape, axis, block_size):
    if block_size:
        return np.repeat(values, block_size, axis).take(np.arange(shape[axis]), axis)
    if values.size == 1 and values.ndim < 2 and (values.ndim == 0 or len(shape) != 1):
        return values.reshape(())
    return values.reshape([-1 if position == axis % len(shape) else 1 for position in range(len(shape))])
