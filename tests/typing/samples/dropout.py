"""Control flow with two results, and an attribute."""

from opwright import BOOL, FLOAT, script
from opwright import opset18 as op


@script()
def Dropout(data: FLOAT[...], ratio: FLOAT, training_mode: BOOL, seed: float) -> tuple[FLOAT[...], BOOL[...]]:
    if training_mode:
        rand = op.RandomUniformLike(data, seed=seed, dtype=FLOAT)
        mask = rand >= ratio
        output = op.Where(mask, data, 0) / (1.0 - ratio)
    else:
        mask = op.Expand(True, op.Shape(data))
        output = data
    return (output, mask)
