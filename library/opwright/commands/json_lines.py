"""What commands on models print with JSON: objects, one a line, each with the schema of its command."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from opwright.diagnostics.diagnostic import Diagnostic, Severity
from opwright.diagnostics.findings_json import to_json


@dataclass(frozen=True, slots=True)
class JsonLines:
    """Makes the lines of one command; `schema` names it with its version."""

    schema: str

    def line(self, **values: object) -> str:
        return json.dumps({"schema": self.schema, **values})

    def findings(self, diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
        for item in diagnostics:
            yield self.line(event="finding", finding=to_json(item))

    def summary(self, status: int, found: Iterable[Diagnostic], **values: object) -> str:
        """The last line of a run."""
        severities = [item.severity for item in found]
        errors, warnings = severities.count(Severity.ERROR), severities.count(Severity.WARNING)
        return self.line(event="summary", exit=status, errors=errors, warnings=warnings, **values)
