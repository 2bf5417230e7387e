"""Slice, Gather and SequenceAt as Python's subscripts, where the compiler makes the same of those.

What fails in the model must fail in the script: an axis that is taken whole leaves no trace in a compiled subscript, so
a slice that takes all of an axis stays a call, which asks for that axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from onnx import NodeProto

from opwright.decompiler.operator_forms import Form
from opwright.lang.infer.result_lengths import ENDS_EITHER_WAY
from opwright.opsets.record import Subscript

if TYPE_CHECKING:
    from opwright.decompiler.body import Body

OLDEST_OPSET = 11  # at which the compiler takes subscripts
_MOST = (1 << 63) - 1
_AXES = 8  # before or behind the ones that are taken, which are written as `:`


def subscript(body: Body, form: Form, node: NodeProto, inputs: list[str]) -> str | None:
    """The node as a subscript; None where it must stay a call."""
    if body.faithful or body.forms.imports[""] < OLDEST_OPSET or not inputs or body.knows(inputs[0]):
        return None
    if not body.names_tensors(inputs[:1]):
        return None
    kind = form.record.subscript
    if kind is Subscript.SLICES:
        items = _slices(body, inputs[1:])
    elif kind is Subscript.POSITION:
        items = _position(body, inputs[1], next((item.i for item in node.attribute if item.name == "axis"), 0), True)
    else:
        items = _position(body, inputs[1], 0, False) if len(inputs) == 2 and body.typed else None
    if items is None or any(item.ref_attr_name for item in node.attribute):
        return None
    inner = _laid_out(items)
    return None if inner is None else f"{body.names[inputs[0]]}[{inner}]"


def _position(body: Body, name: str, axis: int, lists: bool) -> dict[int, str] | None:
    """What stands at which axis: a number; a list of numbers too, where `lists` may index."""
    constant = body.constants.get(name)
    if constant is None:
        return {axis: body.names[name]} if name in body.numbers else None
    if constant.is_scalar:
        return {axis: str(int(constant.array))}
    if not lists or constant.array.ndim != 1 or constant.literal is None or not constant.array.size:
        return None
    return {axis: constant.literal}


def _slices(body: Body, names: Sequence[str]) -> dict[int, str] | None:
    """What stands at which axis, of the starts, ends, axes and steps of these names."""
    lists = [_integers(body, name) if name else None for name in names]
    if len(lists) < 2 or any(found is None and name for found, name in zip(lists, names, strict=True)):
        return None
    starts, ends = lists[0] or [], lists[1] or []
    axes = (lists[2] if len(lists) > 2 else None) or list(range(len(starts)))
    steps = (lists[3] if len(lists) > 3 else None) or [1] * len(starts)
    if not starts or len({*axes}) != len(starts) or not len(starts) == len(ends) == len(axes) == len(steps):
        return None
    found = {}
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        text = _range(start, end, step)
        if text is None:
            return None
        found[axis] = text
    return found


def _integers(body: Body, name: str) -> list[int] | None:
    """The elements of a constant of rank 1."""
    constant = body.constants.get(name)
    if constant is None or constant.array.ndim != 1 or not constant.element.is_integer:
        return None
    return [int(item) for item in constant.array]


def _range(start: int, end: int, step: int) -> str | None:
    """`start:end:step`, each left out where that means the same; None where Python means another thing."""
    if step > 0:
        first = "" if start == 0 else str(start)
        last = "" if end == _MOST else str(end)
        if step == 1 and not first and not last:
            return None
    else:
        # Walking down, a start before the first element is that element to ONNX, and none to Python; and some ends are
        # the beginning to onnxruntime.
        if not step or (start < 0 and start != -1) or end in ENDS_EITHER_WAY:
            return None
        first = "" if start in (-1, _MOST) else str(start)
        last = "" if end <= -_MOST else str(end)
    return f"{first}:{last}" if step == 1 else f"{first}:{last}:{step}"


def _laid_out(items: dict[int, str]) -> str | None:
    """The items at their axes: those that count from the end stand behind `...`. None where some count from the front
    and some from the end, of which Python asks that they do not meet."""
    first, last = min(items), max(items)
    if first < -_AXES or last >= _AXES or first < 0 <= last:
        return None
    if first < 0:
        return ", ".join(["...", *(items.get(axis, ":") for axis in range(first, 0))])
    return ", ".join(items.get(axis, ":") for axis in range(last + 1))
