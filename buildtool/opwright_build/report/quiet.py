"""A reporter for work whose own report nobody reads: of another state of a library, or where only a file counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.report.course import Advance, Stage
from opwright_build.report.reporter import SourceText


class QuietReporter:
    """Keeps the findings, and tells nothing."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    @property
    def tells_events(self) -> bool:
        return False

    def step(self, text: str) -> None:
        """Nobody waits here."""

    def plan(self, stages: Sequence[Stage]) -> None:
        """Nobody waits here."""

    def advance(self, told: Advance) -> None:
        """Nobody waits here."""

    def findings(self, diagnostics: Sequence[Diagnostic], sources: SourceText) -> None:
        self.found += diagnostics

    def table(self, text: str) -> None:
        """Nobody reads it."""

    def event(self, name: str, fields: Mapping[str, Any]) -> None:
        """No program listens."""

    def summary(self, text: str, fields: Mapping[str, Any]) -> None:
        """Nobody reads it."""

    def close(self) -> None:
        """Nothing is open."""
