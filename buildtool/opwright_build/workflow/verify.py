"""`opwright test`: every body on its vectors, on every runtime at hand."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.model import Diagnostic, Place

from opwright_build.report.junit import junit_xml
from opwright_build.report.matrix import junit_entry, matrix_text, outcome_json, runtime_totals
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.library import build_library, read_built
from opwright_build.workflow.select import select_identities
from opwright_build.workflow.session import Options, Session
from opwright_build.workflow.task import finish, on_library
from opwright_build.workflow.writing import write_file

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.spec.model import LoadedLibrary
    from opwright_build.verify.model import CollectedCases, Outcome
    from opwright_build.verify.runtimes import Runtime


@dataclass(frozen=True, slots=True)
class Scope:
    """How much to verify: `only` one function; `junit` is a file to write beside everything else."""

    only: str | None = None
    mutants: bool = False
    update_gaps: bool = False
    run_oracle: bool = True
    junit: Path | None = None


def verify(path: Path, reporter: Reporter, options: Options, scope: Scope, started: float) -> int:
    """Verifies the library around `path`, building in the cache what is not built yet."""
    return on_library(path, reporter, options, lambda session: _verify(session, scope, started))


def _verify(session: Session, scope: Scope, started: float) -> int:
    from opwright_build.spec.load import load_library
    from opwright_build.verify.matrix import rows_of
    from opwright_build.verify.runtimes import available

    loaded = load_library(session.root)
    library = build_library(session)
    if not library.good:
        return finish(session, started, library.diagnostics, "", {})
    bundle = read_built(session, library)
    only = _wanted(scope, loaded)
    collected = _collect(session, scope, loaded, bundle, only)
    runtimes = available()
    outcomes, findings = _judge(session, scope, loaded, bundle, collected, runtimes, only)
    for outcome in outcomes:
        session.reporter.event("outcome", outcome_json(outcome))
    if scope.junit is not None:
        write_file(scope.junit, junit_xml(f"opwright test {bundle.index.library}", map(junit_entry, outcomes)).encode())
    rows = rows_of(outcomes)
    lines = [matrix_text(rows), ""] if rows else []
    fields: dict[str, Any] = {
        "library": bundle.index.library,
        "version": bundle.index.version,
        "functions": len({row.identity for row in rows}),
        "rows": len(rows),
        "cases": len(collected.cases),
        "skipped": len(collected.skipped),
        "oracles": len(collected.references),
        "runtimes": runtime_totals(outcomes),
    }
    if scope.mutants:
        killed, more = _mutants(session, bundle, collected, lines)
        fields["mutants"] = killed
        findings += more
    versions = counted(len({row.identity for row in rows}), "version")
    lines.append(f"{versions}, {counted(len(rows), '(version, type) pair')}, {counted(len(collected.cases), 'case')}")
    lines.append(f"{counted(len(outcomes), 'cell')} on {', '.join(runtime.name for runtime in runtimes)}; {{seconds}}")
    return finish(session, started, [*library.diagnostics, *findings], "\n".join(lines), fields)


def _wanted(scope: Scope, loaded: LoadedLibrary) -> Collection[str] | None:
    if scope.only is None:
        return None
    return set(select_identities(scope.only, [version.identity for version in loaded.versions]))


def _collect(
    session: Session, scope: Scope, loaded: LoadedLibrary, bundle: Bundle, only: Collection[str] | None
) -> CollectedCases:
    from opwright_build.verify.collect import collect_cases

    if scope.run_oracle:
        session.reporter.step("collecting vectors; reference.py of each spec is run, in a child process of its own")
    else:
        session.reporter.step("collecting vectors; no Python of a spec is run")
    interfaces = {entry.identity: entry for entry in bundle.index.functions}
    return collect_cases(loaded.versions, interfaces, session.root, scope.run_oracle, only=only)


def _judge(
    session: Session,
    scope: Scope,
    loaded: LoadedLibrary,
    bundle: Bundle,
    collected: CollectedCases,
    runtimes: Sequence[Runtime],
    only: Collection[str] | None,
) -> tuple[list[Outcome], list[Diagnostic]]:
    """The outcomes, and everything that is wrong with them. With `--update-gaps` the file is written first."""
    from opwright_build.verify.admits import admissions, require_agreement
    from opwright_build.verify.findings import failures, unverified
    from opwright_build.verify.gaps import FILE, GapsFile, check_gaps, merge_gaps, read_gaps, write_gaps
    from opwright_build.verify.matrix import verify_cases

    path = session.root / FILE
    declared = read_gaps(path.read_bytes()) if path.is_file() else GapsFile(())
    session.reporter.step(f"verifying {counted(len(collected.cases), 'case')}")
    workers = max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)

    def progress(done: int, total: int) -> None:
        session.reporter.advance(done, total, "verifying")

    outcomes = verify_cases(
        bundle, collected.cases, runtimes=runtimes, gaps=declared.gaps, workers=workers, progress=progress
    )
    names = [runtime.name for runtime in runtimes]
    findings = [*collected.diagnostics, *declared.diagnostics, *failures(outcomes)]
    if scope.update_gaps:
        write_file(path, write_gaps(merge_gaps(declared.gaps, outcomes, runtimes=names)).encode())
    else:
        ran = {version.identity: only is None or version.identity in only for version in loaded.versions}
        findings += check_gaps(declared.gaps, outcomes, runtimes=names, identities=ran)
    places = {version.identity: _place(version.places) for version in loaded.versions}
    entries = [entry for entry in bundle.index.functions if only is None or entry.identity in only]
    findings += unverified(entries, outcomes, places)
    require_agreement(admissions(bundle))
    return outcomes, findings


def _place(places: Mapping[str, Place]) -> Place:
    return places["types"] if "types" in places else next(iter(places.values()))


def _mutants(
    session: Session, bundle: Bundle, collected: CollectedCases, lines: list[str]
) -> tuple[dict[str, Any], list[Diagnostic]]:
    raise NotImplementedError
