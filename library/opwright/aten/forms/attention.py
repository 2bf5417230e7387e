"""Attention: what `scaled_dot_product_attention` gives of tensors of the shape (batch, heads, length, size)."""

from __future__ import annotations

import math
from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm
from opwright.aten.forms.typed_numbers import nearest_float

_TENSORS = ("query", "key", "value")


def attention_scale(value: Any, call: CallShape) -> float | None:
    """The scale of attention, for None 1 over the square root of the last size of `query`: 0.5 for size 4. None where
    the function computes it: for tensors of type double, and for a size that is 0 or not known. A scale for tensors of
    type double that float does not represent is refused."""
    query = call.values["query"]
    element = call.element_of(query)
    is_double = element is not None and element.name == "double"
    if value is not None:
        if is_double and value != nearest_float(value):
            raise NoForm(f"{value!r} is no number of type float")
        return float(value)
    size = (call.sizes_of(query) or (None,))[-1]
    return None if is_double or not size else 1 / math.sqrt(size)


def key_heads(value: Any, call: CallShape) -> list[int] | None:
    """Where the flag `enable_gqa` is set, the number of the head of the keys for each head of the queries: `[0, 0, 1,
    1]` for 4 heads of `query` and 2 of `key`. None without the flag and for equal numbers of heads. Refused where a
    number is not known, or that of the queries is no multiple of the other."""
    if not value:
        return None
    queries, keys = (_heads(call, name) for name in ("query", "key"))
    if queries is None or keys is None or not keys or queries % keys:
        raise NoForm("the numbers of heads are not known, or those of the queries are no multiple")
    return None if queries == keys else [head * keys // queries for head in range(queries)]


def fits_attention(value: Any, call: CallShape) -> bool:
    """Whether ONNX's Attention takes tensors of these sizes: of rank 4, none of them empty, of one batch size, and
    without `enable_gqa` of one number of heads. Sizes that are not known are taken as equal."""
    known = [call.sizes_of(call.values[name]) for name in _TENSORS]
    if any(sizes is None or len(sizes) != 4 or 0 in sizes for sizes in known):
        return False
    batches = {None if sizes is None else sizes[0] for sizes in known} - {None}
    heads = {_heads(call, name) for name in _TENSORS} - {None}
    return len(batches) < 2 and (call.values["enable_gqa"] or len(heads) < 2)


def _heads(call: CallShape, name: str) -> int | None:
    """The number of heads of an argument, None where it is not known."""
    sizes = call.sizes_of(call.values[name])
    return None if sizes is None or len(sizes) < 3 else sizes[-3]
