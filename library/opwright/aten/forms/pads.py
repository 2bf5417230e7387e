"""Padding of tensors, in the order of ONNX's Pad: the beginnings of all dimensions, then the ends of all.

PyTorch gives pairs of a beginning and an end, from the last dimension backwards, and only for the dimensions that are
padded. Negative numbers remove elements.
"""

from __future__ import annotations

from typing import Any

from opwright.aten.forms.call_shape import CallShape, NoForm


def padding(value: Any, call: CallShape) -> list[Any]:
    """PyTorch's pairs in the order of ONNX's Pad: `[1, 2]` gives `[0, 1, 0, 2]` for rank 2. An odd number of items, and
    more pairs than dimensions, are refused."""
    rank, pairs = call.rank, len(value) // 2
    if len(value) % 2 or pairs > rank:
        raise NoForm(f"{len(value)} numbers do not pad {rank} dimensions")
    none = [0] * (rank - pairs)
    return [*none, *reversed(value[0::2]), *none, *reversed(value[1::2])]


def edge_padding(value: Any, call: CallShape) -> list[Any]:
    """As `padding`, for padding that repeats the elements at the edges: refused where negative numbers remove all
    elements of a dimension, so that there is no edge."""
    sizes = [*reversed(call.sizes or ())]
    for begin, end, size in zip(value[0::2], value[1::2], sizes, strict=False):
        removed = [-item for item in (begin, end) if isinstance(item, int) and item < 0]
        if size is not None and removed and sum(removed) >= size:
            raise NoForm(f"it removes all {size} elements of a dimension")
    return padding(value, call)


def padding_of_mode(value: Any, call: CallShape) -> list[Any]:
    """As `edge_padding` where `mode` is `replicate`, else as `padding`. With the mode `circular` negative numbers are
    refused: PyTorch repeats elements there that they remove."""
    mode = call.values["mode"]
    if mode == "circular" and any(isinstance(item, int) and item < 0 for item in value):
        raise NoForm("negative numbers remove elements that circular padding repeats")
    return edge_padding(value, call) if mode == "replicate" else padding(value, call)
