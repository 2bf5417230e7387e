"""`opwright lint`: every finding of a build, and nothing written but the cache."""

from __future__ import annotations

from pathlib import Path

from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.build import action_counts
from opwright_build.workflow.library import build_library
from opwright_build.workflow.session import Options, Session
from opwright_build.workflow.task import NOTHING, finish, on_library


def lint(path: Path, reporter: Reporter, options: Options, started: float) -> int:
    """Finds the mistakes of the library around `path`."""

    def task(session: Session) -> int:
        library = build_library(session)
        versions = library.total("versions") if library.chosen is None else len(library.chosen)
        text = f"no errors in {counted(versions, 'version')}; {{seconds}}" if library.good else ""
        text = NOTHING if library.is_empty else text
        return finish(session, started, library.diagnostics, text, action_counts(session, library))

    return on_library(path, reporter, options, task)
