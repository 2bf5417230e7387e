"""Findings written to a file in addition to everything else that a command tells."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.diagnostics.sarif import to_sarif

from opwright_build.report.forwarding import ForwardingReporter
from opwright_build.report.reporter import Reporter, SourceText


class SarifReporter(ForwardingReporter):
    """Tells `inner` everything, and at the end writes the findings as one SARIF log.

    `write` raises DiagnosticError where it cannot. A run that was good so far then fails; one that had failed before
    keeps its status, and tells of the file as well.
    """

    def __init__(self, inner: Reporter, command: str, write: Callable[[bytes], object]) -> None:
        super().__init__(inner)
        self._command = command
        self._write = write
        self._found: list[Diagnostic] = []
        self._written = False

    def findings(self, diagnostics: Sequence[Diagnostic], sources: SourceText) -> None:
        self._found += diagnostics
        super().findings(diagnostics, sources)

    def summary(self, text: str, fields: Mapping[str, Any]) -> None:
        if not self._written:
            self._written = True
            status = int(fields["exit"])
            try:
                self._write(sarif_bytes(self._found, self._command, status))
            except DiagnosticError as error:
                if status == 0:
                    raise
                super().findings(error.diagnostics, lambda file: None)
        super().summary(text, fields)


def sarif_bytes(diagnostics: Sequence[Diagnostic], command: str, exit_status: int) -> bytes:
    """The log as it lies in a file."""
    return (json.dumps(to_sarif(diagnostics, command, exit_status), indent=2) + "\n").encode()
