"""`opwright ls`: the versions of all functions, as their YAML declares them. Nothing is compiled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import has_errors
from opwright.diagnostics.exits import Exit

from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter, in_reading_order
from opwright_build.report.tables import counted, text_table
from opwright_build.workflow.excerpt_text import library_text
from opwright_build.workflow.session import find_root
from opwright_build.workflow.task import reporting

if TYPE_CHECKING:
    from opwright_build.spec.model import SpecVersion

SCHEMA = "opwright.ls/1"


def list_versions(path: Path, console: Console, reporter: Reporter, as_json: bool) -> int:
    """Lists the sound specs of the library around `path`; findings about the others go to standard error."""

    def task() -> int:
        from opwright_build.spec.load import load_library

        root = find_root(path)
        loaded = load_library(root)
        if as_json:
            for version in loaded.versions:
                console.result(json.dumps(version_json(version)))
        else:
            console.result(_table(loaded.versions))
        reporter.findings(in_reading_order(loaded.diagnostics), library_text(root))
        return Exit.FINDINGS if has_errors(loaded.diagnostics) else Exit.GOOD

    return reporting(reporter, task)


def version_json(version: SpecVersion) -> dict[str, Any]:
    """One line of `ls --json`. `pairs` are the element types of the widest type variable: what is verified apart."""
    return {
        "schema": SCHEMA,
        "domain": version.domain.name,
        "name": version.name,
        "since_version": version.since_version,
        "summary": version.summary,
        "deprecated": version.deprecated,
        "opsets": {"first": version.opsets.first, "last": version.opsets.last},
        "types": {variable: list(admitted) for variable, admitted in version.types.items()},
        "pairs": list(version.pairs),
    }


def _table(versions: tuple[SpecVersion, ...]) -> str:
    rows = [
        [version.identity, f"{version.opsets.first}-{version.opsets.last}", " ".join(version.pairs), version.summary]
        for version in versions
    ]
    pairs = sum(len(version.pairs) for version in versions)
    totals = f"{counted(len(versions), 'version')}, {counted(pairs, '(version, type) pair')}"
    return f"{text_table(['function', 'opsets', 'types', 'summary'], rows)}\n\n{totals}"
