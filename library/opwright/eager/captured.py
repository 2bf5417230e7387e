"""Values that stand for what a capturing evaluator records: a call that is given one is that evaluator's."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opwright.eager.outcome import Capturing


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
