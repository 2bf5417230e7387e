"""The frame of every command that works on a library: open it, do the task, say how it ended."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors
from opwright.diagnostics.exits import Exit
from opwright.diagnostics.ignores import settle_ignores

from opwright_build.engine.system_errors import InfrastructureError, reason_of
from opwright_build.engine.user_secret import BAD_VARIABLE
from opwright_build.report.reporter import Reporter, in_reading_order
from opwright_build.spec.library_root import find_library
from opwright_build.workflow.opened.session import (
    BAD_SHARED,
    BUILD_RUN,
    LAST_RUN,
    WORK,
    Options,
    Session,
    open_session,
)
from opwright_build.workflow.opened.status import UsageError
from opwright_build.workflow.opened.timings import timings_text
from opwright_build.workflow.opened.writing import write_file

NOTHING = "nothing is selected"
# No library here; what is asked for is not there; the environment makes no sense.
_OF_USAGE = ("OW110", "OW907", BAD_VARIABLE, BAD_SHARED)
# What a machine may answer to any access to any file.
_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.ESTALE}
_REFUSALS = _OF_THE_DISK | {errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM}


def on_library(
    path: Path,
    reporter: Reporter,
    options: Options,
    task: Callable[[Session], int],
    done: Callable[[], Sequence[Diagnostic]] = tuple,
) -> int:
    """Runs `task` on the library around `path`, and gives the exit status; findings that it raises are reported, and
    with them what had been `done` by then."""
    session: Session | None = None

    def sources(file: str) -> str | None:
        return None if session is None else session.source_text(file)

    try:
        with open_session(find_library(path), reporter, options) as session:
            return task(session)
    except (DiagnosticError, OSError) as raised:
        error = _told(raised)
        status = _status_of(error)
        found = in_reading_order([*error.diagnostics, *done(), *(session.warnings if session else ())])
        reporter.findings(found, sources)
        reporter.summary("", {"exit": int(status), **_counts(found)})
        return status
    finally:
        reporter.close()


def reporting(reporter: Reporter, task: Callable[[], int]) -> int:
    """Runs a task that needs no open library; findings that it raises are reported."""
    try:
        return task()
    except (DiagnosticError, OSError) as raised:
        error = _told(raised)
        status = _status_of(error)
        reporter.findings(in_reading_order(error.diagnostics), lambda file: None)
        reporter.summary("", {"exit": int(status), **_counts(error.diagnostics)})
        return status


def finish(
    session: Session,
    started: float,
    diagnostics: Sequence[Diagnostic],
    text: str,
    fields: Mapping[str, Any],
    failed: bool = False,
) -> int:
    """Reports the findings and the summary of a task that came to its end, and gives the exit status.

    `started` is when the command began, in `time.perf_counter` seconds. `text` may hold `{seconds}`.
    """
    found = in_reading_order([*_unsilenced(session, diagnostics), *session.warnings])
    status = Exit.FINDINGS if failed or has_errors(found) else Exit.GOOD
    session.reporter.findings(found, session.source_text)
    ended = time.perf_counter()
    seconds = ended - started
    timings = session.timings.summary(started, ended)
    if session.shows_timings:
        session.reporter.table(timings_text(timings))
        session.reporter.event("timings", timings)
    rest = {"seconds": round(seconds, 3), "exit": int(status), **_counts(found)}
    summary = {**fields, **rest}
    session.reporter.summary(text.replace("{seconds}", f"{seconds:.2f} s"), summary)
    if "sandbox" in fields:
        _keep_record(session, {**summary, "timings": timings})
    return status


def _keep_record(session: Session, summary: Mapping[str, Any]) -> None:
    """What a run that may have run a reference came to, in a file for people and other programs; nothing here reads it.
    Where it cannot be written, the run is no worse."""
    record = {"schema": "opwright.run/1", **summary}
    with contextlib.suppress(InfrastructureError):
        write_file(session.root / WORK / LAST_RUN, (json.dumps(record, indent=1) + "\n").encode())


def keep_build_record(session: Session, started: float) -> None:
    """What a build ran, the longest first, for people and other programs; nothing here reads it."""
    if not session.count.ran:
        return
    ended = time.perf_counter()
    ran = sorted(session.count.ran, key=lambda result: (-result.seconds, result.action.label))
    record = {
        "schema": "opwright.build-run/1",
        "seconds": round(ended - started, 3),
        "timings": session.timings.summary(started, ended),
        "jobs": session.jobs,
        "actions": [
            {"action": item.action.label, "seconds": round(item.seconds, 4), "why": list(item.why)} for item in ran
        ],
    }
    with contextlib.suppress(InfrastructureError):
        write_file(session.root / WORK / BUILD_RUN, (json.dumps(record, indent=1) + "\n").encode())


def only_findings(session: Session, diagnostics: Sequence[Diagnostic]) -> int:
    """Reports the findings of a task whose results are already told, and gives the exit status."""
    found = in_reading_order([*diagnostics, *session.warnings])
    session.reporter.findings(found, session.source_text)
    return Exit.FINDINGS if has_errors(found) else Exit.GOOD


def _unsilenced(session: Session, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Less the warnings that comments at their places ignore; comments are judged where a library is compiled."""
    files = {item.place.file for item in diagnostics if item.severity is Severity.WARNING and item.place is not None}
    texts = {file: session.source_text(file) or "" for file in sorted(files)}
    return settle_ignores(diagnostics, texts, judge=False)


def _told(error: DiagnosticError | OSError) -> DiagnosticError:
    """What is to be said of an error. An OSError that is not the machine's refusal is raised again: it is a bug."""
    if isinstance(error, DiagnosticError):
        return error
    if error.errno not in _REFUSALS:
        raise error
    name = os.path.basename(error.filename) if isinstance(error.filename, str) else "a file"
    message = f"{name} cannot be read or written: {reason_of(error)}"
    help_ = "make room, give this user access, or close what holds many files, and run the command again"
    return InfrastructureError([Diagnostic("OW940", message, help=help_)])


def _status_of(error: DiagnosticError) -> Exit:
    if isinstance(error, InfrastructureError):
        return Exit.INFRASTRUCTURE
    if isinstance(error, UsageError) or any(item.code in _OF_USAGE for item in error.diagnostics):
        return Exit.USAGE
    return Exit.FINDINGS


def _counts(diagnostics: Sequence[Diagnostic]) -> dict[str, int]:
    return {
        "errors": sum(item.severity is Severity.ERROR for item in diagnostics),
        "warnings": sum(item.severity is Severity.WARNING for item in diagnostics),
    }
