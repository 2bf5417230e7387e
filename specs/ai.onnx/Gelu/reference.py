"""What Gelu is, in float64."""

import math

import numpy as np


def Gelu(X, approximate="none"):
    if approximate == "tanh":
        u = math.sqrt(2 / math.pi) * (X + 0.044715 * X**3)
        # 0.5 * (1 + tanh(u)) without cancellation.
        with np.errstate(over="ignore"):
            return X / (1 + np.exp(-2 * u))
    complement = np.array([math.erfc(-x / math.sqrt(2)) for x in X.ravel().tolist()], dtype=np.float64)
    return 0.5 * X * complement.reshape(X.shape)
