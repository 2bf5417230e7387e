"""number.array: An array from around the function is a constant, element by element."""

import numpy as np
from opwright import FLOAT, script

WEIGHTS = np.array([[0.1, -2.0], [1e-05, np.inf]], np.float32)


@script()
def F(x: FLOAT["N", 2]):
    return x @ WEIGHTS
