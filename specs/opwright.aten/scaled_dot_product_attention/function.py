import math
from collections.abc import Sequence
from typing import Literal

from opwright import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, UINT8
from opwright import opset18 as op


def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    *,
    is_causal: Literal[0, 1] = 0,
    scale: float | None = None,
    key_order: Sequence[int],
    key_heads: Sequence[int] | None = None,
    fits_attention: Literal[0, 1] = 0,
    mask_axis: int | None = None,
):
    """With Attention where there is no mask: what it takes differs from runtime to runtime. Scores are float, of narrow
    types too, as those of PyTorch are."""
    is_narrow = query.dtype in (FLOAT16, BFLOAT16)
    if op.version >= 23 and attn_mask is None and fits_attention and query.dtype != DOUBLE:
        q, k, v = query, key, value
        if query.dtype == BFLOAT16:
            q, k, v = op.Cast(q, to=FLOAT), op.Cast(k, to=FLOAT), op.Cast(v, to=FLOAT)
        y, _, _, _ = op.Attention(q, k, v, is_causal=is_causal, scale=scale)
        return op.Cast(y, to=BFLOAT16) if query.dtype == BFLOAT16 else y
    q, k = (op.Cast(query, to=FLOAT), op.Cast(key, to=FLOAT)) if is_narrow else (query, key)
    v = op.Cast(value, to=FLOAT) if query.dtype == BFLOAT16 else value
    if key_heads is not None:
        k, v = op.Gather(k, key_heads, axis=-3), op.Gather(v, key_heads, axis=-3)
    scores = op.MatMul(_scaled(q, scale), op.Transpose(k, perm=key_order))
    if is_causal:
        least = op.Expand(op.CastLike(-math.inf, scores), op.Shape(scores, start=-2))
        scores = scores + op.Trilu(least, 1, upper=1)
    if attn_mask is not None:
        scores = _masked(scores, attn_mask)
    weights = op.Softmax(scores, axis=-1)
    y = op.MatMul(op.Cast(weights, to=FLOAT16) if query.dtype == FLOAT16 else weights, v)
    if attn_mask is not None:
        assert mask_axis is not None
        y = op.Where(_is_any(attn_mask, op.Constant(value_ints=[mask_axis])), y, 0)
    return op.Cast(y, to=BFLOAT16) if query.dtype == BFLOAT16 else y


def _scaled(q, scale):
    if scale is not None:
        return q * scale
    return q / op.Sqrt(op.CastLike(op.Shape(q, start=-1), q))


def _masked(scores, mask):
    return op.Where(mask, scores, -math.inf) if mask.dtype == BOOL else scores + op.CastLike(mask, scores)


def _is_any(mask, axes):
    """Whether there is a key for a query."""
    if mask.dtype != BOOL:
        wide = op.Cast(mask, to=FLOAT) if mask.dtype == BFLOAT16 else mask
        return op.ReduceMax(wide, axes) > -math.inf
    if op.version >= 20:
        return op.ReduceMax(mask, axes)
    return op.Cast(op.ReduceMax(op.Cast(mask, to=UINT8), axes), to=BOOL)
