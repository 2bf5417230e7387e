"""`opwright vectors`: what the library is judged by, and whether that is what `specs/vectors.lock` says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted, text_table
from opwright_build.workflow.built.library import build_library, read_built
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import NOTHING, finish, on_library, only_findings
from opwright_build.workflow.opened.writing import write_below


def vectors(path: Path, reporter: Reporter, options: Options, update: bool, started: float) -> int:
    """Lists the vectors of the library around `path`; with `update` the lock is written anew first."""
    return on_library(
        path, reporter, replace(options, reads_only=not update), lambda session: _vectors(session, update, started)
    )


def _vectors(session: Session, update: bool, started: float) -> int:
    from opwright_build.spec.load import load_library
    from opwright_build.verify.cases.collect import collect_cases, update_lock
    from opwright_build.verify.cases.lock import LOCK_PATH

    loaded = load_library(session.root)
    library = build_library(session)
    if not library.good:
        return finish(session, started, library.diagnostics, "", {})
    if library.is_empty:
        return finish(session, started, library.diagnostics, NOTHING, {"cases": 0, "skipped": 0})
    shown = [version for version in loaded.versions if library.is_chosen(version.identity)]
    lines: list[str] = []
    if update:
        session.reporter.step("reading the standard's suite")
        text = update_lock(loaded.versions, session.root)
        written = text is not None and write_below(session.tree, LOCK_PATH, text.encode())
        lines.append(f"{LOCK_PATH} {'written' if written else 'unchanged'}")
    session.reporter.step("collecting vectors")
    interfaces = {entry.identity: entry for entry in read_built(session, library).index.functions}
    collected = collect_cases(loaded.versions, interfaces, session.root, run_oracle=False, only=library.chosen)
    cases = Counter(case.identity for case in collected.cases)
    skipped = Counter(item.identity for item in collected.skipped)
    for version in shown:
        identity = version.identity
        session.reporter.event(
            "vectors", {"function": identity, "cases": cases[identity], "skipped": skipped[identity]}
        )
    for item in collected.skipped:
        session.reporter.event("skipped", {"function": item.identity, "vector": item.name, "reason": item.reason})
    rows = [[version.identity, str(cases[version.identity]), str(skipped[version.identity])] for version in shown]
    lines += [text_table(["function", "cases", "skipped"], rows, right=(1, 2)), "", counted(cases.total(), "case")]
    fields = {"cases": cases.total(), "skipped": skipped.total()}
    return finish(session, started, [*library.diagnostics, *collected.diagnostics], "\n".join(lines), fields)


def show_vectors(path: Path, console: Console, reporter: Reporter, options: Options) -> int:
    """Prints every vector of the versions that are selected, with what it is given and what it expects. No Python of a
    spec is run, so what a reference would say is left open."""

    def task(session: Session) -> int:
        from opwright_build.report.vector_text import case_text
        from opwright_build.spec.load import load_library
        from opwright_build.verify.cases.collect import collect_cases

        loaded = load_library(session.root)
        library = build_library(session)
        if not library.good or library.is_empty:
            return only_findings(session, library.diagnostics)
        interfaces = {entry.identity: entry for entry in read_built(session, library).index.functions}
        collected = collect_cases(loaded.versions, interfaces, session.root, run_oracle=False, only=library.chosen)
        texts = [case_text(case, interfaces[case.identity]) for case in collected.cases]
        if texts:
            console.result("\n\n".join(texts))
        return only_findings(session, [*library.diagnostics, *collected.diagnostics])

    return on_library(path, reporter, replace(options, reads_only=True), task)
