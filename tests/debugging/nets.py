"""What is debugged: line numbers below are those of docs/debugging.md."""

import numpy as np
from opwright import FLOAT, script
from opwright import opset18 as op
from opwright.eager import whole_functions


@script()
def normalise(x: FLOAT["N", "M"], epsilon: float = 1e-5) -> FLOAT["N", "M"]:
    mean = op.ReduceMean(x, [-1])
    centred = x - mean
    variance = op.ReduceMean(centred * centred, [-1])
    return centred / op.Sqrt(variance + epsilon)


if __name__ == "__main__":
    points = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 6.0]], np.float32)
    with whole_functions():  # who follows the lines sees all of them
        for _ in range(4):
            result = normalise(points)
    print(result.round(3))
