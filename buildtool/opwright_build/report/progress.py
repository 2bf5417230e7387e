"""What people see while they wait, on standard error: a bar on a terminal, a line a step elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from opwright_build.report.console import Console

if TYPE_CHECKING:
    from rich.progress import Progress as RichBar
    from rich.progress import TaskID


class Progress(Protocol):
    """`step` names what begins; `advance` says that `done` of `total` parts of it are through."""

    def step(self, text: str) -> None: ...

    def advance(self, done: int, total: int, text: str) -> None: ...

    def close(self) -> None: ...


class PlainProgress:
    """One line a step, nothing between: for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def step(self, text: str) -> None:
        self._console.progress(text)

    def advance(self, done: int, total: int, text: str) -> None:
        """A log is not for watching."""

    def close(self) -> None:
        """Nothing to take away."""


class BarProgress:
    """A bar that goes away when the work is done. rich is imported when there is something to show."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: RichBar | None = None
        self._task: TaskID | None = None

    def step(self, text: str) -> None:
        self._show(text, 0, None)

    def advance(self, done: int, total: int, text: str) -> None:
        self._show(text, done, total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = None

    def _show(self, text: str, done: int, total: int | None) -> None:
        if self._bar is None:
            from rich.console import Console as RichConsole
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            columns = (BarColumn(bar_width=30), MofNCompleteColumn(), TextColumn("{task.description}", markup=False))
            self._bar = Progress(*columns, console=RichConsole(file=self._console.err), transient=True)
            self._bar.start()
        if self._task is None:
            self._task = self._bar.add_task(text, total=total)
        self._bar.update(self._task, description=text, completed=done, total=total)


def progress_on(console: Console) -> Progress:
    """The form that suits the console."""
    return BarProgress(console) if console.live else PlainProgress(console)
