"""`opwright build --dry-run`: which actions would run, and why. Nothing runs, and nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opwright_build.engine.action import Action, Done
from opwright_build.engine.reader import Reader
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.built.library import chosen_versions
from opwright_build.workflow.built.loaded_packages import load_packages
from opwright_build.workflow.built.wanted import Wanted, library_action, package_label
from opwright_build.workflow.compiled.compiling import plan_versions
from opwright_build.workflow.compiled.version_parts import is_file
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import finish, on_library

_DRY: Mapping[str, Any] = {"dry_run": True}


def dry_run(path: Path, reporter: Reporter, options: Options, started: float) -> int:
    """Says what `build` would do for the library around `path`."""
    return on_library(path, reporter, replace(options, reads_only=True), lambda session: _dry_run(session, started))


def _dry_run(session: Session, started: float) -> int:
    wanted = Wanted(chosen=chosen_versions(session))
    action = library_action(session, wanted)
    known = session.engine.known(action)
    if known is not None:
        return _nothing(session, started, known.outcome)
    reader = Reader(Action("library", "library", {}, {}, ""), {}, session.store, session.sources)
    packages = load_packages(reader, session, wanted)
    loaded = packages.loaded
    only = None if wanted.chosen is None else wanted.chosen.identities
    planned = plan_versions(session.engine, loaded, session.environment, packages.others, only)
    for identity, why in planned.missing.items():
        _tell(session, f"compile {identity}", why)
    for identity, needed in planned.waiting.items():
        _tell(session, f"compile {identity}", (f"where {needed} comes out otherwise",), needed)
    _tell(session, action.label, session.engine.why(action))
    for package in loaded.packages:
        _tell(session, package_label(loaded.library, package), ("where one of its parts comes out otherwise",))
    runs, may = len(planned.missing), len(planned.waiting)
    text = f"{counted(runs, 'version')} to compile, {may:,} more that rest on these, {planned.known:,} known"
    return finish(
        session, started, packages.diagnostics, f"{text}; {{seconds}}", {**_DRY, "to_run": runs, "may_run": may}
    )


def _nothing(session: Session, started: float, outcome: object) -> int:
    """Everything is known; what is on disk may differ from it all the same."""
    outputs = outcome.outputs if isinstance(outcome, Done) else {}
    files = {path: digest for path, digest in outputs.items() if is_file(path)}
    differing = session.publisher.differing(files)
    for path in differing:
        _tell(session, f"write {path}", ("it is not on disk as it should be",))
    text = "nothing to run" if not differing else f"nothing to run; {counted(len(differing), 'file')} to write"
    found = outcome.diagnostics if isinstance(outcome, Done) else ()
    return finish(session, started, found, f"{text}; {{seconds}}", {**_DRY, "to_run": 0, "may_run": 0})


def _tell(session: Session, label: str, why: Sequence[str], needs: str = "") -> None:
    fields: Mapping[str, Any] = {"action": label, "why": list(why), "needs": needs}
    session.reporter.event("planned", fields)
    if not session.reporter.tells_events:
        session.reporter.table(f"{label}: {'; '.join(why)}")
