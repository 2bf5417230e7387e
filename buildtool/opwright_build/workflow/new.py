"""`opwright new`: a function that builds and passes at once."""

from __future__ import annotations

import os
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic
from opwright.diagnostics.exits import Exit

from opwright_build.report.reporter import Reporter
from opwright_build.spec.scaffold import Settings, new_function, new_library, new_version
from opwright_build.workflow.status import UsageError
from opwright_build.workflow.task import reporting

KINDS = ("library", "function", "version")


def new(kind: str, name: str, path: Path, like: str, settings: Settings, reporter: Reporter) -> int:
    """Writes a new thing of that kind below `path` and tells which files there are now. `like` is the function that a
    function begins as; `settings` are a library's."""

    def task() -> int:
        if kind not in KINDS:
            message = f"`opwright new` begins a {' or '.join(KINDS)}, no {kind}"
            raise UsageError([Diagnostic("OW907", message, help="opwright new function com.acme/Swish")])
        if (like and kind != "function") or (settings != Settings() and kind != "library"):
            message = f"a new {kind} takes no such option"
            raise UsageError([Diagnostic("OW907", message, help="--like is for a function, the others for a library")])
        match kind:
            case "library":
                made = new_library(name, path, settings)
            case "version":
                made = new_version(name, path)
            case _:
                made = new_function(name, path, like)
        reporter.findings(made.hints, lambda file: None)
        lines = [f"wrote {os.path.relpath(made.root / file)}" for file in made.created]
        lines += [f"kept {os.path.relpath(made.root / file)}" for file in made.kept]
        follow = f"opwright new function {made.domain}/Name" if kind == "library" else "opwright build"
        reporter.summary("\n".join([*lines, f"next: {follow}"]), {})
        return Exit.GOOD

    return reporting(reporter, task)
