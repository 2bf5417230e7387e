"""What LessOrEqual is."""

import numpy as np


def LessOrEqual(A, B):
    return np.less_equal(A, B)
