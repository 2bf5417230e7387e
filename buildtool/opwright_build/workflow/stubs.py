"""`opwright stubs`: the typed package in library/, which is generated, committed and checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.build import action_counts, scope_of
from opwright_build.workflow.built.library import build_library
from opwright_build.workflow.opened.asked import Asked
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import NOTHING, finish, on_library

COMMAND = "opwright stubs"


def stubs(path: Path, reporter: Reporter, options: Options, check: bool, started: float) -> int:
    """Writes the package of the library around `path`; with `check` only compares it."""
    return on_library(
        path, reporter, replace(options, reads_only=check), lambda session: _stubs(session, check, started)
    )


def _stubs(session: Session, check: bool, started: float) -> int:
    library = build_library(session)
    if library.is_empty:
        return finish(
            session, started, library.diagnostics, NOTHING, {"actions": 0, "actions_run": 0, "actions_cached": 0}
        )
    if library.good and library.chosen is not None:
        library = build_library(
            replace(session, asked=Asked(), packages=tuple(item["library"] for item in library.packages))
        )
    counts = action_counts(session, library)
    if not library.good:
        return finish(session, started, library.diagnostics, "", counts)
    wanted = {path: digest for path, digest in library.files.items() if path.startswith("library/")}
    folders = sorted({str(PurePosixPath(path).parent) for path in wanted})
    owned = scope_of(session, library)

    def scope(path: str) -> bool:
        return path.startswith("library/") and owned(path)

    if check:
        differing = session.publisher.differing(wanted)
        stale = session.publisher.stale(wanted, folders, scope)
        findings = [_out_of_date(path, "differs from") for path in differing]
        findings += [_out_of_date(path, "is no longer part of") for path in stale]
        text = "" if findings else f"{counted(len(wanted), 'file')} up to date"
        return finish(session, started, [*library.diagnostics, *findings], text, counts)
    published = session.publisher.publish(
        wanted, lambda path: session.engine.fetch(library.result, path), folders, scope
    )
    text = f"{len(published.written)} of {counted(len(wanted), 'file')} written"
    return finish(session, started, library.diagnostics, text, counts)


def _out_of_date(path: str, how: str) -> Diagnostic:
    return Diagnostic(
        code="OW906",
        message=f"{path} {how} what the specs give",
        place=Place(path),
        reason="the package in library/ is generated; what others import would not be what the bundle holds",
        help=f"run `{COMMAND}` and commit the result",
    )
