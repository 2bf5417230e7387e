"""number.numpy, OW314: numpy divides ints to floats, a graph to ints."""

import numpy as np
from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return np.array([7, 8]) / 2
