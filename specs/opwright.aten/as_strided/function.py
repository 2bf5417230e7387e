from collections.abc import Sequence
from typing import Literal

import numpy as np
from opwright import opset18 as op


def as_strided(
    self, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0, whole: Literal[False, True] = False
):
    if whole:
        return op.Reshape(self, size, allowzero=1)
    places = op.Constant(value_int=storage_offset)
    for axis, (count, apart) in enumerate(zip(size, stride, strict=True)):
        steps = np.arange(count) if apart else np.zeros(count, np.int64)
        places = places + op.Constant(value=steps.reshape([-1] + [1] * (len(size) - axis - 1))) * max(apart, 1)
    return op.Gather(op.Reshape(self, [-1]), places)
