from typing import Literal

from opwright import FLOAT
from opwright import opset13 as op


def RotaryEmbedding(
    X,
    cos_cache,
    sin_cache,
    position_ids=None,
    interleaved: Literal[0, 1] = 0,
    num_heads: int | None = None,
    rotary_embedding_dim: int = 0,
):
    """Heads stay where X has them: the angles broadcast over them, and nothing is transposed.

    Everything is computed in float, and rounded once at the end.
    """
    assert X.rank in (3, 4)
    if position_ids is not None:
        cos_cache = op.Gather(cos_cache, position_ids)
        sin_cache = op.Gather(sin_cache, position_ids)
    if X.rank == 4:
        x, heads = X, 1
    else:
        assert num_heads is not None
        size = op.Gather(op.Shape(X), [2]) / num_heads
        x = op.Reshape(X, op.Concat(op.Slice(op.Shape(X), [0], [2]), [num_heads], size, axis=0))
        heads = 2
    cos = op.Cast(op.Unsqueeze(cos_cache, [heads]), to=FLOAT)
    sin = op.Cast(op.Unsqueeze(sin_cache, [heads]), to=FLOAT)
    y = rotate(op.Cast(x, to=FLOAT), cos, sin, rotary_embedding_dim, interleaved)
    if X.rank == 3:
        y = op.Reshape(y, op.Shape(X))
    return like(y, X)


def rotate(x, cos, sin, rotary_embedding_dim, interleaved):
    """Turns the first `rotary_embedding_dim` elements of the last dimension, all of them where that is 0."""
    size = op.Gather(op.Shape(x), [3])
    turned = op.Where(rotary_embedding_dim == 0, size, rotary_embedding_dim)
    half = turned / 2
    cos = op.Slice(cos, [0], half, [3])
    sin = op.Slice(sin, [0], half, [3])
    if interleaved == 1:
        first = op.Slice(x, [0], turned, [3], [2])
        second = op.Slice(x, [1], turned, [3], [2])
    else:
        first = op.Slice(x, [0], half, [3])
        second = op.Slice(x, half, turned, [3])
    real = cos * first - sin * second
    imaginary = sin * first + cos * second
    rest = op.Slice(x, turned, size, [3])
    if interleaved == 1:
        pairs = op.Concat(op.Unsqueeze(real, [4]), op.Unsqueeze(imaginary, [4]), axis=4)
        width = op.Concat(op.Slice(op.Shape(x), [0], [3]), turned, axis=0)
        return op.Concat(op.Reshape(pairs, width), rest, axis=3)
    return op.Concat(real, imaginary, rest, axis=3)


def like(value, x):
    if op.version < 15:
        return op.Cast(value, to=x.dtype)
    return op.CastLike(value, x)
