from typing import Literal

from opwright import BFLOAT16, FLOAT, FLOAT16
from opwright import opset18 as op


def cosine_similarity(x1, x2, eps, *, dim: int = 1, broadcast: Literal[False, True] = True):
    x, y = _vector(_wide(x1)), _vector(_wide(x2))
    if broadcast:
        shape = op.Shape(x + y)
        x, y = op.Expand(x, shape), op.Expand(y, shape)
    axes = op.Constant(value_ints=[dim])
    least = op.CastLike(eps, x)
    lengths = [op.Max(op.ReduceL2(item, axes), least) for item in (x, y)]
    cosine = op.ReduceSum((x / lengths[0]) * (y / lengths[1]), axes, keepdims=0)
    return op.Cast(cosine, to=x1.dtype) if x1.dtype in (FLOAT16, BFLOAT16) else cosine


def _vector(x):
    """A tensor without dimensions has one to PyTorch."""
    return op.Unsqueeze(x, 0) if x.rank == 0 else x


def _wide(x):
    return op.Cast(x, to=FLOAT) if x.dtype in (FLOAT16, BFLOAT16) else x
