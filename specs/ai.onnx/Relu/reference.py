"""What Relu is."""

import numpy as np


def Relu(X):
    return np.maximum(X, 0)
