"""What it means to evaluate a node: sessions that are loaded once, and the two ways in which they end badly."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from opwright.eager.arrays import Data
from opwright.eager.node_models import Task
from opwright.elements import ElementType
from opwright.graphs.ndarrays import DTYPES, element_of
from opwright.lang import ir

if TYPE_CHECKING:
    from opwright.functions import OnnxFunction
    from opwright.live.proto_functions import ProtoFunction
    from opwright.opsets.operator import Operator
    from opwright.packaged import LibraryFunction


class NoKernel(Exception):
    """The runtime does not take the node, or not with these types; another one may. The text says why."""


class Failed(Exception):
    """The runtime took the node and failed on the data. The text says why.

    `node` is the name of the innermost node that failed, where the runtime says it.
    """

    def __init__(self, text: str, node: str = "") -> None:
        super().__init__(text)
        self.node = node


class Session(Protocol):
    def run(self, data: Sequence[Data]) -> list[Data]:
        """The results of the node on the data of the task's inputs. Raises NoKernel or Failed."""
        ...


class Evaluator(Protocol):
    """One way to run nodes. Sessions are kept per evaluator and `Task.key`, so evaluators must be hashable."""

    def __hash__(self) -> int: ...

    def load(self, task: Task) -> Session:
        """A session for every task of the same key. Raises NoKernel."""
        ...


@runtime_checkable
class Capturing(Protocol):
    """Takes calls in place of those who run them: `op.X(...)`, and calls of functions outside of any that runs.

    What it gives is what the caller gets. Operators on eager tensors still run.
    """

    def call_operator(self, operator: Operator, args: Sequence[object], kwargs: Mapping[str, object]) -> Any: ...

    def call_function(
        self,
        function: OnnxFunction | LibraryFunction | ProtoFunction,
        args: Sequence[object],
        kwargs: Mapping[str, object],
    ) -> Any: ...


def as_expected(data: Data, type_: ir.Type) -> Data:
    """Some evaluators compute in a wider type than the operator's result has, and leave it at that."""
    if isinstance(type_, ir.SequenceType) and isinstance(data, list):
        known = ir.known_element(type_.item.element)
        wanted = None if known is None else DTYPES[known]
        if wanted is not None and wanted.kind != "O" and all(getattr(item, "dtype", None) == wanted for item in data):
            return data
        return [_as_item(item, type_.item) for item in data]
    if not isinstance(type_, ir.TensorType) or not isinstance(data, np.ndarray):
        return data
    element, found = ir.settle(type_.element), element_of(data)
    if not isinstance(element, ElementType) or found is element:
        return data
    if found is None or found.kind != element.kind:
        raise NoKernel(f"the evaluator gives {found or data.dtype}, and the operator {element}")
    return data.astype(DTYPES[element])


def _as_item(data: Data, type_: ir.Type) -> Data:
    element = ir.settle(type_.element) if isinstance(type_, ir.TensorType) else None
    if isinstance(element, ElementType) and isinstance(data, np.ndarray) and element_of(data) is not element:
        raise Failed(f"a sequence of {element} tensors cannot hold one of {element_of(data)}")
    return data


class Captured:
    """A value of a graph that `capturing` records."""

    __slots__ = ()

    @property
    @abstractmethod
    def capturing(self) -> Capturing:
        """The evaluator that records the graph."""


def capturer_of(values: Iterable[object]) -> Capturing | None:
    """The evaluator that records what one of the arguments of a call stands for; lists are looked into."""
    lists: list[Iterable[object]] = []
    for value in values:
        if isinstance(value, Captured):
            return value.capturing
        if isinstance(value, (list, tuple)):
            lists.append(value)
    seen: set[int] = set()  # a list may hold itself, and another one many times
    while lists:
        held = lists.pop()
        if id(held) in seen:
            continue
        seen.add(id(held))
        for value in held:
            if isinstance(value, Captured):
                return value.capturing
            if isinstance(value, (list, tuple)):
                lists.append(value)
    return None
