"""Operations that have been lowered once are run again without lowering: the same steps, on other data.

What the lowering of an operation does follows from its operands' types and ranks (of a subscript: shapes) and from
what is static among them; those make the key. An operation that fails is always lowered anew, which tells why.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from opwright.eager.arrays import Data, type_of
from opwright.eager.models import Task
from opwright.eager.outcome import Failed, NoKernel, as_expected
from opwright.eager.run import run_on
from opwright.elements import ElementType
from opwright.lang import ir

KEPT = 4096  # recordings
MISS = object()

Key = tuple[object, ...]
Wrap = Callable[[Data, ir.Type], Any]


class Recording:
    """The steps of one operation. Slots hold data: the operands first, then constants and results."""

    __slots__ = ("_slots", "constants", "operands", "result", "steps")

    def __init__(self) -> None:
        self.operands = 0
        self.constants: list[tuple[int, Data]] = []
        self.steps: list[tuple[Task, tuple[int, ...], tuple[tuple[int, ir.Type], ...]]] = []
        self.result: Any = None
        self._slots: dict[ir.Value, int] = {}

    @property
    def size(self) -> int:
        return len(self._slots)

    def operand(self, value: ir.Value) -> None:
        """Operands come in the order in which `flatten` gives them, before anything else."""
        self._slots[value] = self.operands
        self.operands += 1

    def step(self, task: Task, results: Sequence[tuple[ir.Value, ir.Type]]) -> None:
        """A task that has run, and the types that its results were expected to have."""
        inputs = tuple(self._slot(value, data) for value, data in zip(task.inputs, task.data, strict=True))
        outputs = []
        for value, type_ in results:
            self._slots[value] = len(self._slots)
            outputs.append((self._slots[value], type_))
        self.steps.append((task, inputs, tuple(outputs)))

    def finish(self, found: Any, data: dict[ir.Value, Data]) -> None:
        """What the operation gives: values become slots."""
        self.result = self._tree(found, data)

    def _slot(self, value: ir.Value, data: Data) -> int:
        found = self._slots.get(value)
        if found is None:
            found = self._slots[value] = len(self._slots)
            self.constants.append((found, data))
        return found

    def _tree(self, found: Any, data: dict[ir.Value, Data]) -> Any:
        if isinstance(found, tuple):
            return tuple(self._tree(item, data) for item in found)
        return _Slot(self._slot(found, data[found]), found.type) if isinstance(found, ir.Value) else found


class _Slot:
    __slots__ = ("index", "type")

    def __init__(self, index: int, type_: ir.Type) -> None:
        self.index = index
        self.type = type_


_RECORDINGS: OrderedDict[Key, Recording] = OrderedDict()


def keep(key: Key, recording: Recording) -> None:
    _RECORDINGS[key] = recording
    while len(_RECORDINGS) > KEPT:
        _RECORDINGS.popitem(last=False)


def replay(key: Key, operands: list[Data], wrap: Wrap) -> Any:
    """The results of the operation of that key on other data; MISS where it is not kept, or fails."""
    recording = _RECORDINGS.get(key)
    if recording is None:
        return MISS
    slots: list[Data] = [*operands, *[None] * (recording.size - len(operands))]
    for index, data in recording.constants:
        slots[index] = data
    try:
        for task, inputs, outputs in recording.steps:
            results = run_on(task, tuple([slots[index] for index in inputs]))
            for (index, type_), data in zip(outputs, results, strict=True):
                slots[index] = as_expected(data, type_)
    except (NoKernel, Failed):
        return MISS
    return _wrapped(recording.result, slots, wrap)


def _wrapped(result: Any, slots: list[Data], wrap: Wrap) -> Any:
    if isinstance(result, tuple):
        return tuple([_wrapped(item, slots, wrap) for item in result])
    if not isinstance(result, _Slot):
        return result
    data = slots[result.index]
    return data.item() if isinstance(result.type, ir.NumberType) else wrap(data, type_of(data, result.type))


# ----------------------------------------------------------------------------------------------------- keys


class Unkeyed(Exception):
    """An operand whose part in the lowering no key tells."""


def key_of(value: object, operands: list[Data], shaped: bool) -> object:
    """What of an operand decides how the operation is lowered; its data go to `operands`. Raises Unkeyed."""
    from opwright.eager.tensor import Tensor

    kind = type(value)
    if kind is Tensor:
        assert isinstance(value, Tensor)
        type_ = value.type
        if type(type_) is not ir.TensorType or type_.shape is None:
            raise Unkeyed
        operands.append(value.data)
        return (type_.element, type_.shape if shaped else len(type_.shape))
    if kind is float:
        assert isinstance(value, float)
        return (kind, value.hex())
    if kind is bool or kind is int or kind is str or value is None or value is Ellipsis:
        return (kind, value)
    if kind is tuple or kind is list:
        assert isinstance(value, (tuple, list))
        before = len(operands)
        found = (kind, *[key_of(item, operands, shaped) for item in value])
        if len(operands) != before:
            raise Unkeyed  # whether it is a sequence or a list of numbers depends on more than types
        return found
    if isinstance(value, (ElementType, type)):
        return value
    if isinstance(value, slice):
        return (slice, *[key_of(item, operands, shaped) for item in (value.start, value.stop, value.step)])
    raise Unkeyed
