from typing import Literal

from opwright import FLOAT
from opwright import opset18 as op


def multinomial(self, num_samples: int, replacement: Literal[False, True] = False, *, rank: int):
    """With replacement: as many sums of probabilities as are not above a number that is drawn.

    Without: of times that pass until each one comes, the shortest.
    """
    x = self if self.dtype == FLOAT else op.Cast(self, to=FLOAT)
    count = op.Constant(value_ints=[num_samples])
    if not replacement:
        _, indices = op.TopK(op.Log(op.RandomUniformLike(x)) / x, count)
        return indices
    sums = op.CumSum(x, -1)
    shares = op.RandomUniformLike(
        op.ConstantOfShape(op.Concat(op.Slice(op.Shape(x), [0], [-1]), count, axis=0)), dtype=1
    )
    draws = shares * op.Slice(sums, [-1], [(1 << 63) - 1], [-1])
    passed = op.Unsqueeze(sums, [-2]) <= op.Unsqueeze(draws, [-1])
    return op.ReduceSum(op.Cast(passed, to=7), op.Constant(value_ints=[rank]), keepdims=False)
