"""number.numpy, OW304: It is known at run time only."""

import numpy as np
from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    return np.sqrt(x)
