"""A reporter that hands everything on: what it is to do besides is said by those that derive from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.report.course import Advance, Stage
from opwright_build.report.reporter import Reporter, SourceText


class ForwardingReporter:
    """Tells `inner` everything."""

    def __init__(self, inner: Reporter) -> None:
        self._inner = inner

    @property
    def tells_events(self) -> bool:
        return self._inner.tells_events

    def step(self, text: str) -> None:
        self._inner.step(text)

    def plan(self, stages: Sequence[Stage]) -> None:
        self._inner.plan(stages)

    def advance(self, told: Advance) -> None:
        self._inner.advance(told)

    def findings(self, diagnostics: Sequence[Diagnostic], sources: SourceText) -> None:
        self._inner.findings(diagnostics, sources)

    def table(self, text: str) -> None:
        self._inner.table(text)

    def event(self, name: str, fields: Mapping[str, Any]) -> None:
        self._inner.event(name, fields)

    def summary(self, text: str, fields: Mapping[str, Any]) -> None:
        self._inner.summary(text, fields)

    def close(self) -> None:
        self._inner.close()
