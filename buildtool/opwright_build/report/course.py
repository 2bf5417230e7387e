"""How far a command is: stages of which each is so much of the whole, and figures that never go back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

_SETTLED = 1.0  # seconds of a stage, before which its pace says nothing


class Stage(Enum):
    """A part of a command that counts what it does. `share` is how long it takes, as a rule, beside the others."""

    COMPILE = ("compiling", 1.0)
    VERIFY = ("verifying", 5.0)
    MUTANTS = ("mutants", 20.0)

    def __init__(self, text: str, share: float) -> None:
        self.text = text
        self.share = share


@dataclass(frozen=True, slots=True)
class Advance:
    """So many of `total` are done in a stage, `failed` of them badly; `text` names the one at hand, if any."""

    stage: Stage
    done: int
    total: int
    failed: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """What is shown. `position` is the part of the whole command that is through, 0 to 1; `rate` is per second, and
    `left` in seconds, both None while nothing can be said."""

    text: str
    position: float
    done: int = 0
    total: int = 0
    failed: int = 0
    rate: float | None = None
    left: float | None = None


@dataclass(slots=True)
class _Lap:
    """What is counted in a stage, from zero: a stage may count more than once, and then adds up."""

    done: int = 0
    total: int = 0
    failed: int = 0

    def take(self, told: Advance) -> None:
        self.done = max(self.done, told.done)
        self.total = max(self.total, told.total, self.done)
        self.failed = max(self.failed, told.failed)


class Course:
    """Follows a command. Whatever it is told, in whatever order: position, failures, and what is done within a stage
    never go back. `clock` is in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ahead: list[Stage] = []
        self._stage: Stage | None = None
        self._position = 0.0
        self._span = 1.0  # of the whole, for the present stage
        self._begun = (0.0, 0.0, 0)  # the present stage: when, at which position, with how many done
        self._laps: dict[Stage, list[_Lap]] = {}
        self._last = 0  # what was told to be done, at last

    def plan(self, stages: Sequence[Stage]) -> None:
        """Says which stages are to come, in their order. One that is passed over counts as done."""
        self._ahead = list(stages)

    def step(self, text: str) -> Figures:
        """Something begins that counts nothing by itself."""
        return Figures(text, self._position, failed=self._failed())

    def advance(self, told: Advance) -> Figures:
        now = self._clock()
        laps = self._laps.setdefault(told.stage, [])
        if told.stage is not self._stage or told.done < self._last:
            laps.append(_Lap())
            self._begin(told, now, sum(lap.done for lap in laps))
        self._last = told.done
        laps[-1].take(told)
        done, total = sum(lap.done for lap in laps), sum(lap.total for lap in laps)
        when, start, before = self._begun
        through = laps[-1].done / laps[-1].total if laps[-1].total else 0.0
        self._position = min(1.0, max(self._position, start + self._span * through))
        rate = left = None
        if now - when >= _SETTLED and done > before:
            rate = (done - before) / (now - when)
            gained = self._position - start
            left = (now - when) / gained * (1.0 - self._position) if gained > 0 else None
        return Figures(told.text or told.stage.text, self._position, done, total, self._failed(), rate, left)

    def _failed(self) -> int:
        return sum(lap.failed for laps in self._laps.values() for lap in laps)

    def _begin(self, told: Advance, now: float, before: int) -> None:
        """A stage takes its share of what is left of the whole."""
        if told.stage in self._ahead:
            self._ahead = self._ahead[self._ahead.index(told.stage) + 1 :]
        rest = sum(stage.share for stage in self._ahead)
        self._stage = told.stage
        self._begun = now, self._position, before + told.done
        self._span = (1.0 - self._position) * told.stage.share / (told.stage.share + rest)
