"""How a wrong expression ends: it is reported, Poisoned is raised, and the names that its statement binds are poisoned.

Reading a poisoned name raises again, and reports nothing: what follows from a mistake is no mistake of its own. Where
the parts of an expression are lowered one after the other all of them are, so that each finding is told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


class Poisoned(Exception):
    """An expression has no value; the reason has been reported."""


def each(step: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
    """What a step makes of each item; Poisoned, once it has seen all of them, where one is wrong."""
    made: list[Made] = []
    wrong = False
    for item in items:
        try:
            made.append(step(item))
        except Poisoned:
            wrong = True
    if wrong:
        raise Poisoned
    return made


class Parts:
    """Steps that differ, of which each is taken: `with parts:` around each of them, then `parts.close()`."""

    __slots__ = ("wrong",)

    def __init__(self) -> None:
        self.wrong = False

    def __enter__(self) -> Parts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        poisoned = isinstance(error, Poisoned)
        self.wrong = self.wrong or poisoned
        return poisoned

    def close(self) -> None:
        """Raises Poisoned where one of the steps was wrong."""
        if self.wrong:
            raise Poisoned
