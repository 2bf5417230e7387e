"""Operations that have been lowered once are run again without lowering: the same steps, on other data.

What the lowering of an operation does follows from its operands' types and ranks (of a subscript: shapes) and from
what is static among them; those make the key. An operation that fails is always lowered anew, which tells why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opwright.eager import tensor as tensors
from opwright.eager.arrays import Data, type_of
from opwright.eager.kept import Kept
from opwright.eager.node_models import Task
from opwright.eager.outcome import Failed, NoKernel, as_expected
from opwright.eager.task_execution import Loaded, run_on
from opwright.elements import ElementType
from opwright.graphs.ndarrays import AXES, DTYPES
from opwright.lang import ir

KEPT = 4096  # recordings
MISS = object()

Key = tuple[object, ...]


class Recording:
    """The steps of one operation. Slots hold data: the operands first, then constants and results."""

    __slots__ = ("_slots", "constants", "direct", "operands", "result", "steps", "used")

    def __init__(self) -> None:
        self.operands = 0
        self.constants: list[tuple[int, Data]] = []
        self.steps: list[_Step] = []
        self.result: Any = None
        self.direct: _Direct | None = None
        self.used = False
        self._slots: dict[ir.Value, int] = {}

    @property
    def size(self) -> int:
        return len(self._slots)

    def operand(self, value: ir.Value) -> None:
        """Operands come in the order in which their data are collected, before anything else."""
        self._slots[value] = self.operands
        self.operands += 1

    def step(self, task: Task, loaded: Loaded, results: Sequence[tuple[ir.Value, ir.Type]]) -> None:
        """A task that has run, what ran it, and the types that its results were expected to have."""
        inputs = tuple(self._slot(value, data) for value, data in zip(task.inputs, task.data, strict=True))
        outputs = []
        for value, type_ in results:
            self._slots[value] = len(self._slots)
            outputs.append((self._slots[value], type_))
        self.steps.append(_Step(task, loaded, inputs, tuple(outputs)))

    def finish(self, found: Any, data: dict[ir.Value, Data]) -> None:
        """What the operation gives: values become slots."""
        self.result = self._tree(found, data)
        if len(self.steps) == 1 and type(self.result) is _Slot:
            self.direct = _direct(self.steps[0], self.result, self.constants, self.operands)

    def drop(self) -> None:
        """Nothing of it has to be freed."""

    def replay(self, operands: list[Data]) -> Any:
        """The results on other data; MISS where it fails."""
        self.used = True
        try:
            if self.direct is not None:
                return self.direct.run(operands)
            slots: list[Data] = [*operands, *[None] * (self.size - len(operands))]
            for index, data in self.constants:
                slots[index] = data
            for step in self.steps:
                results = step.run([slots[index] for index in step.inputs])
                for (index, type_), data in zip(step.outputs, results, strict=True):
                    slots[index] = as_expected(data, type_)
        except (NoKernel, Failed):
            return MISS
        return _wrapped(self.result, slots)

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


class _Step:
    """A task, the slots that it reads, and the slots and types of what it gives."""

    __slots__ = ("inputs", "loaded", "outputs", "task")

    def __init__(
        self, task: Task, loaded: Loaded, inputs: tuple[int, ...], outputs: tuple[tuple[int, ir.Type], ...]
    ) -> None:
        self.task = task
        self.loaded = loaded
        self.inputs = inputs
        self.outputs = outputs

    def run(self, data: Sequence[Data]) -> list[Data]:
        """By what ran it last; where that is no longer kept, or does not take these data, as any task runs."""
        loaded = self.loaded
        session = loaded.session
        if session is not None and not isinstance(session, NoKernel):
            loaded.used = True
            try:
                return session.run(data)
            except NoKernel:
                pass
        results, self.loaded = run_on(self.task, data)
        return results


class _Direct:
    """An operation that is one node with one result, a tensor: most of them."""

    __slots__ = ("_dtype", "_places", "_step", "_template", "_type")

    def __init__(self, step: _Step, dtype: object, places: tuple[tuple[int, int], ...], template: list[Data]) -> None:
        self._step = step
        self._type = step.outputs[0][1]
        self._dtype = dtype
        self._places = places  # in the inputs of the node, of operands; none where they are just those
        self._template = template  # the inputs of the node, as far as they are constants

    def run(self, operands: list[Data]) -> Any:
        """Raises NoKernel or Failed."""
        data = operands
        if self._places:
            data = self._template.copy()
            for place, index in self._places:
                data[place] = operands[index]
        found = self._step.run(data)[0]
        if found.dtype is not self._dtype:
            found = as_expected(found, self._type)
        return tensors.make_tensor(found)


def _direct(step: _Step, result: _Slot, constants: list[tuple[int, Data]], operands: int) -> _Direct | None:
    ((slot, type_),) = step.outputs if len(step.outputs) == 1 else ((-1, None),)
    element = ir.settle(type_.element) if isinstance(type_, ir.TensorType) else None
    if slot != result.index or not isinstance(result.type, ir.TensorType) or not isinstance(element, ElementType):
        return None
    known = dict(constants)
    template = [known.get(index) for index in step.inputs]
    if step.inputs == tuple(range(operands)):
        return _Direct(step, DTYPES[element], (), template)
    places = tuple((place, index) for place, index in enumerate(step.inputs) if index < operands)
    return _Direct(step, DTYPES[element], places, template) if places else None


def _wrapped(result: Any, slots: list[Data]) -> Any:
    if isinstance(result, tuple):
        return tuple([_wrapped(item, slots) for item in result])
    if not isinstance(result, _Slot):
        return result
    data = slots[result.index]
    return data.item() if isinstance(result.type, ir.NumberType) else tensors.wrap(data, type_of(data, result.type))


RECORDINGS: Kept[Recording] = Kept(KEPT)


# ----------------------------------------------------------------------------------------------------- keys


class Unkeyed(Exception):
    """An operand whose part in the lowering no key tells."""


def add_operand(key: list[object], data: list[Data], value: object) -> None:
    """Adds to the key what of an operand decides how the operation is lowered, and its data to `data`. Raises Unkeyed.

    A tensor is its dtype and its rank; anything else is one item, which is no dtype.
    """
    kind = type(value)
    if kind is np.ndarray:
        key += (value.dtype, value.ndim)  # type: ignore[attr-defined]
        data.append(value)
    elif kind is tensors.Tensor and value.other is None:  # type: ignore[attr-defined]
        array = value.data  # type: ignore[attr-defined]
        key += (array.dtype, array.ndim)
        data.append(array)
    else:
        key.append(static_key(value))


def static_key(value: object, depth: int = 0) -> object:
    """Equal for what is lowered in the same way. Raises Unkeyed for what is no static value."""
    kind = type(value)
    if kind is float:
        assert isinstance(value, float)
        return (kind, value.hex())
    if kind is bool or kind is int or kind is str or value is None or value is Ellipsis:
        return (kind, value)
    if (kind is tuple or kind is list) and depth < AXES:  # of tensors it is a sequence, or not: types alone do not say
        assert isinstance(value, (tuple, list))
        return (kind, *[static_key(item, depth + 1) for item in value])
    if isinstance(value, (ElementType, type)):
        return (type, value)
    if isinstance(value, slice):
        return (slice, *[static_key(item) for item in (value.start, value.stop, value.step)])
    raise Unkeyed


def is_kept(value: object) -> bool:
    """Whether an operand is the same to every operation: strings in arrays have to be looked at, other byte orders
    turned."""
    return not isinstance(value, np.ndarray) or (value.dtype.kind not in "OUT" and value.dtype.isnative)
