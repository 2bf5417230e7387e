from typing import Literal

from opwright import BFLOAT16, BOOL, FLOAT, FLOAT16, INT16, INT32, INT64, UINT8, Tensor
from opwright import opset18 as op


def index_put(
    self,
    values,
    *indices: Tensor | None,
    accumulate: Literal[False, True] = False,
    equal: Literal[False, True] = False,
    whole: Literal[False, True] = False,
):
    given = [_item(index) for index in indices if index is not None]
    firsts = _firsts(indices)
    if len(given) == 1 and given[0].dtype == BOOL:
        behind = self.rank - firsts[0] - given[0].rank
        if values.rank <= behind:  # all positions get the same values
            mask = op.Unsqueeze(given[0], [given[0].rank + axis for axis in range(behind)]) if behind else given[0]
            return _chosen(self, values, mask, accumulate)
    x, values = _wide(self, accumulate), _wide(values, accumulate)
    if len(given) == 1 and given[0].dtype != BOOL and given[0].rank == 1 and firsts[0] > 0:
        y = _put_along(x, values, given[0], firsts[0], accumulate, whole)
    else:
        y = _put(x, values, given, firsts, accumulate, equal, whole)
    return op.CastLike(y, self) if accumulate and self.dtype in (FLOAT16, BFLOAT16) else y


def _item(index):
    if index.dtype == UINT8:
        return op.Cast(index, to=BOOL)
    return index if index.dtype in (BOOL, INT64) else op.Cast(index, to=INT64)


def _firsts(indices):
    """The dimension, or the first one, that each index is about."""
    firsts = []
    axis = 0
    for index in indices:
        if index is not None:
            firsts.append(axis)
        axis = axis + (index.rank if index is not None and index.dtype in (BOOL, UINT8) else 1)
    return firsts


def _wide(x, accumulate):
    """As runtimes add at positions."""
    return op.Cast(x, to=FLOAT) if accumulate and x.dtype in (FLOAT16, BFLOAT16) else x


def _chosen(x, values, mask, accumulate):
    """What a mask of the same rank decides, in a type of which runtimes can choose."""
    if x.dtype == BOOL:
        return x | (mask & values) if accumulate else (x & ~mask) | (mask & values)
    if x.dtype == INT16:
        x, values = op.Cast(x, to=INT32), op.Cast(values, to=INT32)
        return op.Cast(op.Where(mask, x + values if accumulate else values, x), to=INT16)
    if x.dtype == BFLOAT16:
        x, values = op.Cast(x, to=FLOAT), op.Cast(values, to=FLOAT)
        return op.Cast(op.Where(mask, x + values if accumulate else values, x), to=BFLOAT16)
    return op.Where(mask, x + values if accumulate else values, x)


def _expanded(x, shape):
    return op.Cast(op.Expand(op.Cast(x, to=FLOAT), shape), to=BFLOAT16) if x.dtype == BFLOAT16 else op.Expand(x, shape)


def _put_along(x, values, index, axis, accumulate, whole):
    """At positions of one dimension that is not the first one."""
    if not whole:
        sizes = [op.Shape(x, start=0, end=axis), op.Shape(index)]
        if axis < x.rank - 1:
            sizes = [*sizes, op.Shape(x, start=axis + 1)]
        values = _expanded(values, op.Concat(*sizes, axis=0))
    places = op.Expand(op.Reshape(index, [-1] + [1] * (x.rank - axis - 1)), op.Shape(values))
    return op.ScatterElements(x, places, values, axis=axis, reduction="add" if accumulate else "none")


def _put(x, values, given, firsts, accumulate, equal, whole):
    parts, axes = [], []
    for index, first in zip(given, firsts, strict=True):
        if index.dtype == BOOL:
            found = op.NonZero(index)
            for axis in range(index.rank):
                parts.append(found[axis])
                axes.append(first + axis)
        else:
            parts.append(index)
            axes.append(first)
    rank = max([part.rank for part in parts])
    if len(given) == 1 and given[0].dtype == BOOL:
        places = op.Transpose(found)
    elif len(parts) == 1:
        places = op.Unsqueeze(parts[0], [-1])
    else:
        if not equal:
            shape = op.Shape(sum(parts[1:], parts[0]))
            parts = [op.Expand(part, shape) for part in parts]
        places = op.Concat(*[op.Unsqueeze(part, [-1]) for part in parts], axis=-1)
    others = [axis for axis in range(x.rank) if axis not in axes]
    order = axes + others
    lead = axes[0] if axes == list(range(axes[0], axes[0] + len(axes))) else 0
    if lead:
        x = op.Transpose(x, perm=order)
        if values.rank > len(others) - lead:  # the dimensions of positions come behind others there
            if values.rank < rank + len(others):
                values = op.Unsqueeze(values, list(range(rank + len(others) - values.rank)))
            behind = list(range(lead + rank, rank + len(others)))
            values = op.Transpose(values, perm=list(range(lead, lead + rank)) + list(range(lead)) + behind)
    elif order != list(range(x.rank)):
        x = op.Transpose(x, perm=order)
    if not whole:
        sizes = op.Shape(places, start=0, end=-1)
        if others:
            sizes = op.Concat(sizes, op.Shape(x, start=len(axes)), axis=0)
        values = _expanded(values, sizes)
    y = op.ScatterND(x, places, values, reduction="add" if accumulate else "none")
    if order == list(range(x.rank)):
        return y
    return op.Transpose(y, perm=[place for axis in range(x.rank) for place in range(x.rank) if order[place] == axis])
