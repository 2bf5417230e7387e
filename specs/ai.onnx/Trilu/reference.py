"""What Trilu is: where the column less the row is at least k, or at most k."""

import numpy as np


def Trilu(input, k=None, upper=1):
    rows, columns = (np.arange(length, dtype=object) for length in input.shape[-2:])
    to_the_right = columns - rows[:, None]
    diagonal = 0 if k is None else int(k)
    kept = to_the_right >= diagonal if upper else to_the_right <= diagonal
    return np.where(kept.astype(bool), input, "" if input.dtype == object else np.zeros((), input.dtype))
