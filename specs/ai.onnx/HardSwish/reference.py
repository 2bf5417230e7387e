"""What HardSwish is, in float64."""

import numpy as np


def HardSwish(X):
    return X * np.maximum(0.0, np.minimum(1.0, (X + 3.0) / 6.0))
