"""How an expression ends without a value: Poisoned is raised, the one exception of lowering.

A wrong expression is reported, and the names that its statement binds are poisoned. Reading a poisoned name raises
again, and reports nothing: what follows from a mistake is not reported again. Where the parts of an expression are
lowered one after the other all of them are, so that each finding is told at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TypeVar

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.lang.meaning.operands import LoopKey
from opwright.lang.text.source import Span
from opwright.lang.value_class import record

Item = TypeVar("Item")
Made = TypeVar("Made")


class Reason:
    """Why nothing of a function is lowered after an expression. Each kind says one of these things; the others of it
    are empty."""

    __slots__ = ()

    @property
    def question(self) -> Question | None:
        """What is asked of the function's callers."""
        return None

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """Why the function has no variant for the facts at hand."""
        return ()

    @property
    def copied_loop(self) -> LoopKey | None:
        """The loop that needs a copy of its body for each item."""
        return None

    @property
    def other_loops(self) -> tuple[LoopKey, ...]:
        """Loops that are needed in another form."""
        return ()


@record
class Question(Reason):
    """A static question that the facts at hand do not answer: what follows is lowered once for each of `values`.

    Without values the answers are open: the function is a template, and each call of it decides. `implied`: the author
    has named none of the values, they follow from a comparison such as `x.rank > 2`.
    """

    axis: str
    values: tuple[str, ...]
    span: Span | None = None
    implied: bool = False

    @property
    def question(self) -> Question:
        return self


@record
class Pruned(Reason):
    """The function has no variant for the facts at hand: an `assert` on them does not hold, as the finding says."""

    finding: Diagnostic

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        return (self.finding,)


@record
class Copies(Reason):
    """The loop at a place, which is being lowered as a `Loop`, needs a copy of its body for each item."""

    loop: LoopKey

    @property
    def copied_loop(self) -> LoopKey:
        return self.loop


@record
class OtherLoops(Reason):
    """Loops that have been lowered as a `Loop` are needed in another form: the plans say so now."""

    loops: tuple[LoopKey, ...]

    @property
    def other_loops(self) -> tuple[LoopKey, ...]:
        return self.loops


class Poisoned(Exception):
    """An expression has no value; the reason has been reported, or is `because`.

    `ends`: nothing of the function is lowered after it, and no trial takes it back.
    """

    def __init__(self, ends: bool = False, because: Reason | None = None) -> None:
        super().__init__()
        self.ends = ends or because is not None
        self.because = because

    @property
    def question(self) -> Question | None:
        """What is asked of the function's callers."""
        return None if self.because is None else self.because.question

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        """What is not reported."""
        return () if self.because is None else self.because.findings

    def needs_copies_of(self, loop: LoopKey) -> bool:
        """Whether that loop is to be lowered as copies of its body."""
        return self.because is not None and self.because.copied_loop == loop

    def recover(self) -> None:
        """Lets lowering go on after it, or raises it again where the function ends with it."""
        if self.ends:
            try:
                raise self
            finally:
                del self  # this frame is part of its traceback: a cycle, which waits for the garbage collector


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
