"""What QuantizeLinear is: quotients in float, as all is that arrives, rounded to the nearest even, and cut off.

What is no number becomes the least, as in onnxruntime.
"""

import numpy as np

ENDS = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767)}
CODES = {0: "uint8", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16"}


def QuantizeLinear(x, y_scale, y_zero_point=None, axis=1, block_size=0, output_dtype=0, precision=0, saturate=1):
    steps = np.rint(x.astype(np.float32) / spread(y_scale.astype(np.float32), x.shape, axis, block_size))
    element = CODES[output_dtype]
    if y_zero_point is not None:
        element = y_zero_point.dtype.name
        steps = steps.astype(np.float64) + spread(y_zero_point, x.shape, axis, block_size)
    least, greatest = ENDS[element]
    return np.where(np.isnan(steps), least, np.clip(steps, least, greatest)).astype(element)


def spread(values, shape, axis, block_size):
    if block_size:
        return np.repeat(values, block_size, axis).take(np.arange(shape[axis]), axis)
    if values.size == 1 and values.ndim < 2 and (values.ndim == 0 or len(shape) != 1):
        return values.reshape(())
    return values.reshape([-1 if position == axis % len(shape) else 1 for position in range(len(shape))])
