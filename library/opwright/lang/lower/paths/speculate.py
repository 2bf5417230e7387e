"""Trials: steps of lowering that may be taken back, the one way in which anything is.

    with speculate(low, env) as trial:
        made = step()
        if made is not None:
            trial.commit()

What is not committed is rolled back. An exception that leaves the block rolls nothing back: its handler decides,
and a finding that ends the lowering is not lost.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import TypeVar

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.lang.lower.paths.flow import EnvironmentCopy
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.operands import Environment

# Called as a trial begins; what it gives is called after the rollback. Tests check
# that nothing went around the trail.
Watch = Callable[[Lowering, Environment | None], Callable[[], None]]
watch: Watch | None = None

Result = TypeVar("Result")


class Trial:
    """One trial, as `speculate` opens it. `env` is restored with the state when the trial is rolled back."""

    __slots__ = ("_committed", "_copy", "_env", "_findings", "_low", "_mark", "_nodes", "_rolled_back")

    def __init__(self, low: Lowering, env: Environment | None) -> None:
        self._low = low
        self._env = env
        self._committed = False
        self._rolled_back: Callable[[], None] | None = None

    def __enter__(self) -> Trial:
        low = self._low
        self._mark = low.trail.begin()
        self._copy = None if self._env is None else EnvironmentCopy(self._env)
        self._nodes = low.nodes
        self._findings = len(low.diagnostics)
        if watch is not None:
            self._rolled_back = watch(low, self._env)
        return self

    @property
    def findings(self) -> list[Diagnostic]:
        """What has been reported since the trial began."""
        return self._low.diagnostics[self._findings :]

    def commit(self) -> None:
        """Keeps what the trial has done, once its block ends."""
        self._committed = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        low = self._low
        if self._committed or kind is not None:
            low.trail.commit(self._mark)
            return
        low.trail.roll_back(self._mark)
        low.nodes = self._nodes
        if self._copy is not None:
            self._copy.restore()
        if self._rolled_back is not None:
            self._rolled_back()


def attempt(low: Lowering, step: Callable[[], Result | None]) -> Result | None:
    """What a step gives; None where it gives none, or something in it is wrong: then nothing of it is left."""
    with speculate(low) as trial:
        try:
            made = step()
        except Poisoned as wrong:
            wrong.recover()
            return None
        if made is not None:
            trial.commit()
        return made


def speculate(low: Lowering, env: Environment | None = None) -> Trial:
    """A trial on the state of `low`; `env` is an environment whose names it may bind."""
    return Trial(low, env)
