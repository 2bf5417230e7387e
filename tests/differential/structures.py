"""The operators on sequences, and those that take functions: in Python lists and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.differential.values import Closure, OutOfScope, Refused, Tensor, to_tensor, truth

if TYPE_CHECKING:
    from tests.differential.kernels import Context

Run = Callable[..., Any]
STRUCTURES: dict[str, Run] = {}


def _structure(run: Run) -> Run:
    STRUCTURES[run.__name__] = run
    return run


def call_structure(name: str, context: Context, inputs: Sequence[Any], attributes: dict[str, Any]) -> Any:
    """`op.name(...)` of operands as they are: lists stand for sequences, closures for graphs."""
    return STRUCTURES[name](context, *inputs, **attributes)


def _index(position: Any, size: int, extra: int = 0) -> int:
    index = int(to_tensor(position).array.reshape(()))
    if not -size <= index < size + extra:
        raise OutOfScope("an index out of range is an error at run time")
    return index


@_structure
def SequenceConstruct(context: Context, *items: Any) -> list[Any]:
    return [to_tensor(item) for item in items]


@_structure
def SequenceEmpty(context: Context, dtype: Any = None) -> list[Any]:
    return []


@_structure
def SequenceInsert(context: Context, items: list[Any], item: Any, position: Any = None) -> list[Any]:
    found = list(items)
    found.insert(len(items) if position is None else _index(position, len(items), 1), to_tensor(item))
    return found


@_structure
def SequenceErase(context: Context, items: list[Any], position: Any = None) -> list[Any]:
    found = list(items)
    del found[_index(-1 if position is None else position, len(items))]
    return found


@_structure
def SequenceAt(context: Context, items: list[Any], position: Any) -> Any:
    return items[_index(position, len(items))]


@_structure
def SequenceLength(context: Context, items: list[Any]) -> Tensor:
    return Tensor(np.array(len(items), np.int64))


@_structure
def ConcatFromSequence(context: Context, items: list[Any], axis: int, new_axis: int = 0) -> Tensor:
    if not items:
        raise OutOfScope("nothing is concatenated")
    arrays = [item.array for item in items]
    try:
        return Tensor(np.stack(arrays, axis) if new_axis else np.concatenate(arrays, axis))
    except ValueError:
        raise OutOfScope("shapes that do not fit are an error at run time") from None


@_structure
def SplitToSequence(
    context: Context, value: Tensor, split: Any = None, axis: int = 0, keepdims: int = 1
) -> list[Tensor]:
    if split is not None or not value.array.ndim:
        raise OutOfScope("we split into single items")
    parts = [np.take(value.array, [index], axis) for index in range(value.array.shape[axis])]
    return [Tensor(part if keepdims else np.squeeze(part, axis)) for part in parts]


# --------------------------------------------------------------------------------------------- operators of graphs


def _results(context: Context, body: Any, arguments: Sequence[Any]) -> tuple[Any, ...]:
    """What a graph gives, numbers made tensors."""
    if not isinstance(body, Closure):
        raise Refused("a graph is wanted")
    value = context.call(body, list(arguments), {})
    values = value if isinstance(value, tuple) else (value,)
    return tuple(item if isinstance(item, list) else to_tensor(item) for item in values)


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


@_structure
def If(context: Context, condition: Any, then_branch: Any = None, else_branch: Any = None) -> Any:
    return _one(list(_results(context, then_branch if truth(condition) else else_branch, ())))


@_structure
def Scan(context: Context, *inputs: Any, body: Any, num_scan_inputs: int) -> Any:
    """States come first; each scan input is taken apart along axis 0."""
    count = len(inputs) - num_scan_inputs
    states = [to_tensor(item) for item in inputs[:count]]
    scanned = [to_tensor(item).array for item in inputs[count:]]
    if any(not item.ndim for item in scanned) or len({len(item) for item in scanned}) != 1:
        raise OutOfScope("scan inputs have one length")
    made: list[list[Any]] = []
    for index in range(len(scanned[0])):
        results = _results(context, body, [*states, *(Tensor(item[index]) for item in scanned)])
        if any(old.array.shape != new.array.shape for old, new in zip(states, results, strict=False)):
            raise OutOfScope("onnxruntime's Scan keeps the shapes of its states")
        states = list(results[:count])
        made.append(list(results[count:]))
    if not made:
        raise OutOfScope("the shape of a scan of nothing is the runtime's own matter")
    return _one([*states, *(_stacked(items) for items in zip(*made, strict=True))])


def _stacked(items: Sequence[Any]) -> Tensor:
    if len({item.array.shape for item in items}) != 1:
        raise OutOfScope("scan outputs have one shape")
    return Tensor(np.stack([item.array for item in items]))


@_structure
def Loop(context: Context, trips: Any, condition: Any, *states: Any, body: Any) -> Any:
    """`body(index, condition, *states)` gives the condition, the states and what is scanned."""
    limit = None if trips is None else int(to_tensor(trips).array.reshape(()))
    going = condition is None or truth(condition)
    values = [to_tensor(item) for item in states]
    made: list[list[Any]] = []
    index = 0
    while going and (limit is None or index < limit):
        if index > 100:
            raise OutOfScope("too many steps")
        results = _results(context, body, [Tensor(np.array(index, np.int64)), Tensor(np.array(going)), *values])
        going = truth(results[0])
        values = list(results[1 : 1 + len(values)])
        made.append(list(results[1 + len(values) :]))
        index += 1
    if not made and len(states) == 0:
        raise OutOfScope("the shape of a scan of nothing is the runtime's own matter")
    scans = [_stacked(items) for items in zip(*made, strict=True)]
    return _one([*values, *scans])


@_structure
def SequenceMap(context: Context, items: list[Any], *others: Any, body: Any) -> Any:
    found = [
        _results(context, body, [item, *(other[index] if isinstance(other, list) else other for other in others)])
        for index, item in enumerate(items)
    ]
    if not found:
        raise OutOfScope("a map of nothing has results of no known number")
    return _one([list(column) for column in zip(*found, strict=True)])
