"""number.array: Small numpy arrays and scalars from around the function are constants."""

import numpy as np
from opwright import FLOAT, script

TABLE = np.array([1.0, 2.0], dtype=np.float32)


@script()
def F(x: FLOAT["N"]):
    return x + TABLE
