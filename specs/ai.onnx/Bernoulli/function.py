from opwright import DOUBLE
from opwright import opset13 as op


def Bernoulli(input, dtype: int | None = None, seed: float | None = None):
    """1 where a number drawn from [0, 1) is less than the probability: always for 1, never for 0.

    The standard's body has a 1 where the number is greater than the probability, so with probability 1 - p. Numbers
    are drawn in double: in float16 one in 2048 would be 1 itself.
    """
    # Of one dimension more, since for a scalar the reference evaluator draws no tensor.
    p = op.Cast(op.Unsqueeze(input, [0]), to=DOUBLE)
    if seed is None:
        drawn = op.RandomUniformLike(p)
    else:
        drawn = op.RandomUniformLike(p, seed=seed)
    hit = op.Squeeze(drawn < p, [0])
    if dtype is not None:
        return op.Cast(hit, to=dtype)
    if op.version < 15:
        return op.Cast(hit, to=input.dtype)
    return op.CastLike(hit, input)
