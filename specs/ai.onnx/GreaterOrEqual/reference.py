"""What GreaterOrEqual is."""

import numpy as np


def GreaterOrEqual(A, B):
    return np.greater_equal(A, B)
