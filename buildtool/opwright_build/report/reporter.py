"""How a task tells what it does and finds: one interface, a text form and a form of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from opwright.diagnostics.diagnostic import Diagnostic, Severity
from opwright.diagnostics.findings_json import to_json
from opwright.diagnostics.text import render

from opwright_build.report.console import Console
from opwright_build.report.course import Advance, Stage
from opwright_build.report.progress import progress_on
from opwright_build.report.tables import counted

SourceText = Callable[[str], "str | None"]


_VERIFICATION = "OW4"  # what the codes of that stage begin with
_UNSOUND_CALLEE = "OW908"  # of what calls something that is wrong itself


class Reporter(Protocol):
    """What a task says while it runs."""

    @property
    def tells_events(self) -> bool:
        """Whether facts for programs reach any."""
        ...

    def step(self, text: str) -> None:
        """A step begins; for people who wait."""

    def plan(self, stages: Sequence[Stage]) -> None:
        """Which stages the task has, in their order."""

    def advance(self, told: Advance) -> None:
        """So much of a stage is done."""

    def findings(self, diagnostics: Sequence[Diagnostic], sources: SourceText) -> None:
        """Findings, in the order in which they are to be read."""

    def table(self, text: str) -> None:
        """What was found out, for people; programs get the same as events."""

    def event(self, name: str, fields: Mapping[str, Any]) -> None:
        """A fact for programs, such as an action that ran."""

    def summary(self, text: str, fields: Mapping[str, Any]) -> None:
        """The last word."""

    def close(self) -> None:
        """Leaves the terminal as it was, however the task ended."""


class Manner(Enum):
    """How much a text tells: findings and the last line, as a rule, or also what ran and why."""

    QUIET = "quiet"
    NORMAL = "normal"
    VERBOSE = "verbose"


class TextReporter:
    """For people: findings and the summary as text on standard output, progress on standard error.

    With `findings_aside` findings go to standard error too: for commands whose result is data.
    """

    def __init__(self, console: Console, findings_aside: bool = False, manner: Manner = Manner.NORMAL) -> None:
        self._console = console
        self._manner = manner
        self._progress = progress_on(console)
        self._tell = console.progress if findings_aside else console.result

    @property
    def tells_events(self) -> bool:
        return False

    def step(self, text: str) -> None:
        self._progress.step(text)

    def plan(self, stages: Sequence[Stage]) -> None:
        self._progress.plan(stages)

    def advance(self, told: Advance) -> None:
        self._progress.advance(told)

    def findings(self, diagnostics: Sequence[Diagnostic], sources: SourceText) -> None:
        self._progress.close()
        if diagnostics:
            self._tell(render(diagnostics, sources, self._console.color) + _tally(diagnostics))

    def table(self, text: str) -> None:
        self._progress.close()
        if self._manner is not Manner.QUIET:
            self._console.result(f"{text}\n")

    def event(self, name: str, fields: Mapping[str, Any]) -> None:
        """Facts are for programs, but for what ran."""
        if self._manner is Manner.VERBOSE and name == "action" and not fields["cached"]:
            self._progress.line(f"{fields['action']}: {'; '.join(fields['why'])}")

    def summary(self, text: str, fields: Mapping[str, Any]) -> None:
        self._progress.close()
        if text and self._manner is Manner.QUIET:
            text = text.splitlines()[-1]
        if text:
            self._console.summary(text)

    def close(self) -> None:
        self._progress.close()


class JsonReporter:
    """For programs: one JSON object a line on standard output, the last one the summary."""

    def __init__(self, console: Console, command: str) -> None:
        self._console = console
        self._schema = f"opwright.{command}/1"

    @property
    def tells_events(self) -> bool:
        return True

    def step(self, text: str) -> None:
        """Progress is for people."""

    def plan(self, stages: Sequence[Stage]) -> None:
        """Progress is for people."""

    def advance(self, told: Advance) -> None:
        """Progress is for people."""

    def findings(self, diagnostics: Sequence[Diagnostic], sources: SourceText) -> None:
        for diagnostic in diagnostics:
            self.event("finding", {"finding": to_json(diagnostic)})

    def table(self, text: str) -> None:
        """Tables are for people."""

    def event(self, name: str, fields: Mapping[str, Any]) -> None:
        self._console.result(json.dumps({"schema": self._schema, "event": name, **fields}))

    def summary(self, text: str, fields: Mapping[str, Any]) -> None:
        self.event("summary", fields)

    def close(self) -> None:
        """Nothing is left open."""


def in_reading_order(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Sorted by folder, stage and place, those without a place first; equal ones once. What is not compiled since
    something else is wrong comes last.

    What is wrong with a spec comes before what is wrong with its source, and that before what fails of it, since one
    may follow from the other. What verification finds has the order of its codes: what fails, then what nothing proves.
    """
    unique = list(dict.fromkeys(diagnostics))

    def position(item: Diagnostic) -> tuple[object, ...]:
        file, line, column = ("", 0, 0) if item.place is None else (item.place.file, item.place.line, item.place.column)
        folder, stage = file.rpartition("/")[0], item.code[:3]
        first = item.code if stage == _VERIFICATION else ""
        follows = item.code == _UNSOUND_CALLEE
        return (follows, item.place is not None, folder, stage, first, file, line, column, item.code, item.message)

    return sorted(unique, key=position)


def _tally(diagnostics: Sequence[Diagnostic]) -> str:
    parts: list[str] = []
    for severity, noun in ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "note")):
        count = sum(item.severity is severity for item in diagnostics)
        if count:
            parts.append(counted(count, noun))
    return f"\n{', '.join(parts)}"
