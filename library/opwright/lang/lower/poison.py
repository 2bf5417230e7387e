"""How a wrong expression ends: it is reported, Poisoned is raised, and the names that its statement binds are poisoned.

Reading a poisoned name raises again, and reports nothing: what follows from a mistake is no mistake of its own. Where
the parts of an expression are lowered one after the other all of them are, so that each finding is told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TypeVar

from opwright.diagnostics.model import Diagnostic

Item = TypeVar("Item")
Made = TypeVar("Made")


class Poisoned(Exception):
    """An expression has no value; the reason has been reported.

    `ends`: nothing of the function is lowered after it, and no trial takes it back. `pruned`: the function has no
    variant for the facts at hand, as this finding, which is not reported, says of an `assert`.
    """

    def __init__(self, ends: bool = False, pruned: Diagnostic | None = None) -> None:
        super().__init__()
        self.ends = ends or pruned is not None
        self.pruned = pruned

    def recover(self) -> None:
        """Lets lowering go on after it, or raises it again where the function ends with it."""
        if self.ends:
            raise self


def each(step: Callable[[Item], Made], items: Iterable[Item]) -> list[Made]:
    """What a step makes of each item; Poisoned, once it has seen all of them, where one is wrong."""
    made: list[Made] = []
    wrong = False
    for item in items:
        try:
            made.append(step(item))
        except Poisoned as found:
            found.recover()
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
        recovers = isinstance(error, Poisoned) and not error.ends
        self.wrong = self.wrong or recovers
        return recovers

    def close(self) -> None:
        """Raises Poisoned where one of the steps was wrong."""
        if self.wrong:
            raise Poisoned
