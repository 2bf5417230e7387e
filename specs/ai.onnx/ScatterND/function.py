from typing import Literal

from opwright import BFLOAT16, BOOL, COMPLEX64, COMPLEX128, FLOAT, INT8, INT16, INT32, INT64, STRING, UINT8, UINT16
from opwright import opset13 as op


def ScatterND(data, indices, updates, reduction: Literal["none", "add", "mul", "max", "min"] = "none"):
    """Reductions go through a wider type where loops do not carry a type (below opset 16), or sums do not take it."""
    if reduction == "none":
        return op.ScatterND(data, indices, updates)
    assert data.dtype not in (STRING, COMPLEX64, COMPLEX128)
    assert data.dtype != BOOL or reduction in ("add", "mul")
    if data.dtype == BFLOAT16:
        return op.Cast(
            scattered(op.Cast(data, to=FLOAT), indices, op.Cast(updates, to=FLOAT), reduction, True), to=BFLOAT16
        )
    if op.version < 14 and data.dtype in (INT8, INT16, UINT8, UINT16):
        wide = scattered(op.Cast(data, to=INT32), indices, op.Cast(updates, to=INT32), reduction, False)
        return op.Cast(wide, to=data.dtype)
    return scattered(data, indices, updates, reduction, False)


def ScatterND16(data, indices, updates, reduction: Literal["none", "add", "mul"] = "none"):
    """As the later version, without max and min."""
    return ScatterND(data, indices, updates, reduction)


def scattered(data, indices, updates, reduction, in_bfloat16):
    """In turns: the first takes the first update of each place, the second the second one of each that has two.

    So no turn has a place twice, and each place takes its updates in their order, which decides the last bits of a sum.
    No value is reshaped, for below opset 14 a shape that holds zeros cannot be asked for.
    """
    indices, updates = op.Unsqueeze(indices, [0]), op.Unsqueeze(updates, [0])
    size = op.Shape(indices)
    each = op.Transpose(op.NonZero(op.ConstantOfShape(size[:-1], value=[1])))  # a row of coordinates for each update
    in_turns, begins = turns(places(op.GatherND(indices, each), op.Shape(data), size[-1:]))
    ends = op.Concat(begins[1:], op.Shape(in_turns), axis=0)
    for turn in range(op.Size(begins)):
        chosen = op.Gather(each, in_turns[begins[turn] : ends[turn]])
        at = op.GatherND(indices, chosen)
        value = reduced(op.GatherND(data, at), op.GatherND(updates, chosen), reduction)
        if in_bfloat16:
            value = op.Cast(op.Cast(value, to=BFLOAT16), to=FLOAT)
        data = op.ScatterND(data, at, value)
    return data


def places(indices, shape, depth):
    """One number for each row of indices, the same for rows that mean the same place."""
    lengths = shape[: depth[0]]
    behind = op.Range(0, depth[0], 1) > op.Unsqueeze(op.Range(0, depth[0], 1), [1])
    strides = op.ReduceProd(op.Where(behind, lengths, 1), axes=[1], keepdims=0)
    return op.ReduceSum(op.Where(indices < 0, indices + lengths, indices) * strides, [1], keepdims=0)


def turns(place):
    """The numbers of the updates, those of the first turn first, and where in this list each turn begins."""
    count = op.Shape(place)
    ordered, order = op.TopK(place, count, largest=0)  # of equal ones the first comes first
    starts = changes(ordered)
    group = op.CumSum(op.Cast(ordered != before(ordered), to=INT64), 0) - 1
    turn = op.Range(0, count[0], 1) - op.Gather(starts, group)
    ordered_turns, by_turn = op.TopK(turn, count, largest=0)
    return op.Gather(order, by_turn), changes(ordered_turns)


def changes(ascending):
    """Where each run of equal numbers begins, none of which is negative."""
    return op.Squeeze(op.NonZero(ascending != before(ascending)), [0])


def before(numbers):
    """The number before each; -1 before the first."""
    return op.Concat([-1], numbers, axis=0)[:-1]


def reduced(value, update, reduction):
    """What onnxruntime makes of both: of two that do not compare the update."""
    if reduction == "max":
        return chosen_where(value > update, value, update)
    if reduction == "min":
        return chosen_where(value < update, value, update)
    if value.dtype == BOOL:
        return value | update if reduction == "add" else value & update
    return value + update if reduction == "add" else value * update


def chosen_where(condition, yes, no):
    """Where, of types for which onnxruntime has no such kernel too."""
    both = op.Concat(op.Unsqueeze(no, [0]), op.Unsqueeze(yes, [0]), axis=0)
    return op.Squeeze(op.GatherElements(both, op.Unsqueeze(op.Cast(condition, to=INT64), [0]), axis=0), [0])
