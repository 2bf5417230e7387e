"""What people see while they wait, on standard error: a bar on a terminal, a line a step and a minute elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from opwright_build.report.console import Console
from opwright_build.report.course import Advance, Course, Figures, Stage

WIPE = "\r\x1b[K"
_WIDTH = 24  # of the bar
_COLUMNS = 80  # where a terminal does not say how wide it is
_BETWEEN = 0.1  # seconds between two drawings
_MINUTE = 60.0


class Progress(Protocol):
    """`plan` says which stages are to come; `step` names what begins; `advance` says how far a stage is."""

    def plan(self, stages: Sequence[Stage]) -> None: ...

    def step(self, text: str) -> None: ...

    def advance(self, told: Advance) -> None: ...

    def line(self, text: str) -> None:
        """A line that stays."""

    def close(self) -> None: ...


class PlainProgress:
    """One line a step, and one a minute while a step lasts: for logs."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._course = Course(clock)
        self._told = clock()  # when something was told last

    def plan(self, stages: Sequence[Stage]) -> None:
        self._course.plan(stages)

    def step(self, text: str) -> None:
        self._course.step(text)
        self.line(text)

    def advance(self, told: Advance) -> None:
        figures = self._course.advance(told)
        if self._clock() - self._told >= _MINUTE:
            self.line(f"{told.stage.text}: {in_words(figures)}")

    def line(self, text: str) -> None:
        self._told = self._clock()
        self._console.progress(text)

    def close(self) -> None:
        """Nothing to take away."""


class BarProgress:
    """A line with a bar, drawn again in place, that goes away when the work is done."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._course = Course(clock)
        self._drawn: float | None = None  # when, where something is to be seen

    def plan(self, stages: Sequence[Stage]) -> None:
        self._course.plan(stages)

    def step(self, text: str) -> None:
        self._draw(self._course.step(text))

    def advance(self, told: Advance) -> None:
        figures = self._course.advance(told)
        if self._drawn is None or self._clock() - self._drawn >= _BETWEEN:
            self._draw(figures)

    def line(self, text: str) -> None:
        self.close()
        self._console.progress(text)

    def close(self) -> None:
        if self._drawn is not None:
            self._write(WIPE)
        self._drawn = None

    def _draw(self, figures: Figures) -> None:
        self._drawn = self._clock()
        self._write(WIPE + bar(figures, _columns(self._console) - 1))

    def _write(self, text: str) -> None:
        self._console.err.write(text)
        self._console.err.flush()


def bar(figures: Figures, columns: int) -> str:
    """The line, no longer than so many columns."""
    filled = int(_WIDTH * figures.position)
    drawn = f"[{'#' * filled}{'-' * (_WIDTH - filled)}] {_percent(figures)} "
    if len(drawn) > columns // 2:
        drawn = f"{_percent(figures)} "
    counts = f"{in_words(figures, percent=False)}  " if figures.total else ""
    if not counts and figures.failed:
        counts = f"{figures.failed:,} failed  "
    return f"{drawn}{counts}{figures.text}"[: max(columns, 0)]


def in_words(figures: Figures, percent: bool = True) -> str:
    """`120 of 3,000 (4 %), 12/s, 2 failed, 3 min left`."""
    parts = [f"{figures.done:,} of {figures.total:,}" + (f" ({_percent(figures).strip()} of all)" if percent else "")]
    if figures.rate is not None:
        parts.append(f"{figures.rate:,.0f}/s" if figures.rate >= 10 else f"{figures.rate:.1f}/s")
    if figures.failed:
        parts.append(f"{figures.failed:,} failed")
    if figures.left is not None:
        parts.append(f"{_duration(figures.left)} left")
    return ", ".join(parts)


def progress_on(console: Console) -> Progress:
    """The form that suits the console."""
    return BarProgress(console) if console.live else PlainProgress(console)


def _percent(figures: Figures) -> str:
    return f"{int(100 * figures.position):3} %"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"


def _columns(console: Console) -> int:
    try:
        return os.get_terminal_size(console.err.fileno()).columns or _COLUMNS
    except (OSError, ValueError):  # what stands for a terminal has no size
        return _COLUMNS
