"""`opwright new`: a function that builds and passes at once."""

from __future__ import annotations

import os
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.diagnostics.exits import Exit

from opwright_build.report.reporter import Reporter
from opwright_build.workflow.status import UsageError
from opwright_build.workflow.task import reporting

KINDS = ("function",)


def new(kind: str, name: str, path: Path, reporter: Reporter) -> int:
    """Writes a new thing of that kind below `path` and tells which files there are now."""

    def task() -> int:
        if kind not in KINDS:
            message = f"`opwright new` begins a {' or '.join(KINDS)}, no {kind}"
            raise UsageError([Diagnostic("OW907", message, help="opwright new function com.acme/Swish")])
        from opwright_build.spec.scaffold import new_function

        made = new_function(name, path)
        reporter.findings(made.hints, lambda file: None)
        lines = [f"wrote {os.path.relpath(made.root / file)}" for file in made.created]
        lines += [f"kept {os.path.relpath(made.root / file)}" for file in made.kept]
        reporter.summary("\n".join([*lines, "next: opwright build"]), {})
        return Exit.GOOD

    return reporting(reporter, task)
