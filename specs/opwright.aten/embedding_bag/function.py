import math
from typing import Literal

import numpy as np
from opwright import BFLOAT16, DOUBLE, FLOAT, FLOAT16, INT64
from opwright import opset18 as op


def embedding_bag(
    weight,
    indices,
    offsets,
    per_sample_weights=None,
    *,
    mode: Literal[0, 1, 2] = 0,
    include_last_offset: Literal[False, True] = False,
):
    assert per_sample_weights is None or mode == 0
    starts = offsets[:-1] if include_last_offset else offsets
    bag = _bags(indices, starts)
    place = op.Unsqueeze(op.Cast(bag, to=INT64), 1)
    shape = op.Concat(op.Shape(starts), op.Shape(weight, start=1), axis=0)
    rows = op.Gather(weight, indices)
    if weight.dtype in (FLOAT16, BFLOAT16):
        rows = op.Cast(rows, to=FLOAT)
    if per_sample_weights is not None:
        factors = op.Unsqueeze(per_sample_weights, 1)
        rows = rows * (op.Cast(factors, to=FLOAT) if weight.dtype in (FLOAT16, BFLOAT16) else factors)
    if mode == 2:
        empty = op.Expand(op.CastLike(-math.inf, rows), shape)
        result = op.ScatterND(empty, place, rows, reduction="max")
        first = _first_maxima(result, rows, bag, place, shape)
        taken = op.Concat(indices, op.CastLike([0], indices), axis=0)
        result = op.Where(op.Equal(first, op.CastLike(op.Size(indices), first)), op.CastLike(0.0, result), result)
        sizes, places = _sizes(bag, starts), op.Gather(taken, first)
    else:
        if include_last_offset and weight.dtype != DOUBLE:
            # PyTorch counts what stands behind the last offset, and adds it to no bag.
            place, rows = place[: offsets[-1]], rows[: offsets[-1]]
        result = op.ScatterND(op.Expand(op.CastLike(0.0, rows), shape), place, rows, reduction="add")
        if mode == 1:
            sizes = _sizes(bag, starts)
            result = result / op.Max(op.Unsqueeze(op.CastLike(sizes, result), 1), op.CastLike(1.0, result))
            places = op.Identity(sizes)
        else:
            sizes = op.Expand(op.CastLike(0, indices), op.Shape(offsets))
            places = op.Identity(sizes)
    if weight.dtype in (FLOAT16, BFLOAT16):
        result = op.Cast(result, to=weight.dtype)
    if mode == 0 and weight.dtype != DOUBLE:
        bag = op.CastLike(np.zeros(0, np.int64), indices)
    return result, bag, sizes, places


def _bags(indices, starts):
    """The bag of each index: how many bags begin before it or at it, less one."""
    length = op.Shape(indices)
    none = op.Expand(op.CastLike(0, indices), length + 1)
    begun = op.ScatterElements(none, starts, op.Expand(op.CastLike(1, indices), op.Shape(starts)), reduction="add")
    return op.CumSum(begun, 0)[:-1] - 1


def _sizes(bag, starts):
    each = op.Expand(op.CastLike(1, bag), op.Shape(bag))
    return op.ScatterElements(op.Expand(op.CastLike(0, bag), op.Shape(starts)), bag, each, reduction="add")


def _first_maxima(result, rows, bag, place, shape):
    """Of each bag and column the first index at which the maximum stands, and behind the last one without any."""
    end = op.CastLike(op.Size(bag), bag)
    chosen = op.Equal(op.Gather(result, bag), rows)
    at = op.Where(chosen, op.Unsqueeze(op.Range(op.CastLike(0, bag), end, op.CastLike(1, bag)), 1), end)
    return op.ScatterND(op.Expand(end, shape), place, at, reduction="min")
