"""`opwright test`: every body on its vectors, on every runtime at hand."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from opwright_build.report.course import Stage
from opwright_build.report.junit import junit_xml
from opwright_build.report.matrix_report import junit_entry, matrix_text, outcome_json, runtime_totals, totals_line
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.verify.cases.oracle import kept_fork_servers
from opwright_build.verify.run.isolation import kept_workers
from opwright_build.workflow.judged_library import Subject, broken_versions, collect
from opwright_build.workflow.judging import judge, mutate
from opwright_build.workflow.library import BuiltLibrary, build_library, read_built
from opwright_build.workflow.narrowing import Narrowing
from opwright_build.workflow.sandboxes import clause, record, require_for_workers
from opwright_build.workflow.selection.last_runs import note_failures
from opwright_build.workflow.session import Options, Session
from opwright_build.workflow.status import usage_error
from opwright_build.workflow.task import NOTHING, finish, on_library
from opwright_build.workflow.writing import write_file


@dataclass(frozen=True, slots=True)
class Scope:
    """How much to verify, and to tell: `cells` of the matrix; `junit` is a file to write in addition, `sandbox` the
    level of the sandbox without which nothing of the library is to be run."""

    cells: Narrowing = field(default_factory=Narrowing)
    mutants: bool = False
    update_gaps: bool = False
    run_oracle: bool = True
    table: bool = False
    junit: Path | None = None
    sandbox: int = 0


def verify(path: Path, reporter: Reporter, options: Options, scope: Scope, started: float) -> int:
    """Verifies the library around `path`, building in the cache what is not built yet."""
    with kept_workers(), kept_fork_servers():  # mutants run in the processes that verified the bodies
        return on_library(path, reporter, options, lambda session: _verify(session, scope, started))


def _verify(session: Session, scope: Scope, started: float) -> int:
    from opwright_build.spec.load import load_library
    from opwright_build.spec.runtime_names import family_of
    from opwright_build.verify.run.matrix import rows_of
    from opwright_build.verify.run.runtimes import available

    session.reporter.plan([Stage.COMPILE, Stage.VERIFY, *([Stage.MUTANTS] if scope.mutants else [])])
    loaded = load_library(session.root)
    library = build_library(session)
    if not library.good:
        note_failures(session, (), broken_versions(loaded, library.diagnostics))
        return finish(session, started, library.diagnostics, "", {})
    if library.is_empty:
        return finish(session, started, library.diagnostics, NOTHING, _nothing(library))
    bundle = read_built(session, library)
    identities = [entry.identity for entry in bundle.index.functions]
    only: set[str] | None = None
    if library.chosen is not None:
        only = set(library.chosen)
    elif session.packages:
        only = set(identities)
    subject = Subject(session, loaded, bundle, only)
    if scope.sandbox:
        require_for_workers(session.workers_claim(min(scope.sandbox, 1)), scope.sandbox)
    runtimes = scope.cells.narrowed(available())
    scope.cells.require_types(
        kind for entry in bundle.index.functions for _, admitted in entry.types for kind in admitted
    )
    verdicts = judge(subject, runtimes, scope.run_oracle, scope.update_gaps, scope.sandbox, scope.cells)
    is_part = scope.cells.leaves_out or not scope.run_oracle  # what failed may not have run: it stays known
    note_failures(session, verdicts.failed if is_part else verdicts.tested, verdicts.failed)
    kinds, findings = verdicts.kinds, verdicts.findings
    cells = sum(kind.count for kind in kinds)
    if not cells and verdicts.cases and scope.cells.is_partial and only is None:  # a selection may have none of them
        message = "no vector of the library runs with such a type at such an opset"
        raise usage_error(message, help="name other ones with --type and --opset")
    outcomes = list(verdicts.outcomes) if session.reporter.tells_events or scope.junit is not None else []
    if session.reporter.tells_events:
        for outcome in outcomes:
            session.reporter.event("outcome", outcome_json(outcome))
    index = subject.bundle.index
    if scope.junit is not None:
        new = {change.family for change in verdicts.changes}
        entries = [junit_entry(outcome, declared=family_of(outcome.runtime) not in new) for outcome in outcomes]
        names = " ".join(package["library"] for package in library.packages)
        write_file(scope.junit, junit_xml(f"opwright test {names}", entries).encode())
    rows = rows_of(kinds, index.functions)
    if rows and scope.table:
        session.reporter.table(matrix_text(rows))
    totals = runtime_totals(kinds)
    fields: dict[str, Any] = {
        **({"library": index.library, "version": index.version} if len(library.packages) == 1 else {}),
        "packages": [{"library": item["library"], "version": item["version"]} for item in library.packages],
        "versions": len({row.identity for row in rows}),
        "pairs": sum(bool(row.types) for row in rows),  # a function without type variables has a row, and no pair
        "cases": verdicts.cases,
        "spread": scope.cells.spread,
        "kept": verdicts.kept,
        "skipped": verdicts.skipped,
        "oracles": verdicts.oracles,
        "sandbox": record(verdicts.sandbox),
        "workers": record(session.workers_claim() if verdicts.kept < cells else None),
        "runtimes": totals,
        "releases": {family_of(runtime.name): runtime.release for runtime in runtimes},
        "changes": [asdict(change) for change in verdicts.changes],
    }
    cases = counted(verdicts.cases, "case")
    lines = [f"{counted(fields['versions'], 'version')}, {counted(fields['pairs'], '(version, type) pair')}, {cases}"]
    lines += [totals_line(name, counts) for name, counts in totals.items()]
    lines += map(str, verdicts.changes)
    if scope.mutants:
        fields["mutants"], more = mutate(subject, collect(subject, scope.run_oracle, scope.sandbox).cases)
        findings += more
        lines.append(_mutants_line(fields["mutants"]))
    known = f", {verdicts.kept:,} of them known from earlier runs" if verdicts.kept else ""
    part = ", a spread of the opsets" if scope.cells.spread else ""
    lines.append(f"{counted(cells, 'cell')}{part}{known}; {clause(verdicts.sandbox)}{{seconds}}")
    diagnostics = [*library.diagnostics, *findings]
    return finish(session, started, diagnostics, "\n".join(lines), fields)


def _nothing(library: BuiltLibrary) -> dict[str, Any]:
    """The summary's fields where nothing is selected."""
    counts = dict.fromkeys(("versions", "pairs", "cases", "kept", "skipped", "oracles"), 0)
    packages = [{"library": item["library"], "version": item["version"]} for item in library.packages]
    places = {"sandbox": None, "workers": None}
    return {"packages": packages, **counts, "spread": False, **places, "runtimes": {}, "releases": {}, "changes": []}


def _mutants_line(figures: dict[str, Any]) -> str:
    killed, survived = figures["killed"], figures["survived"]
    rest = f"{figures['excused']} excused, {figures['stillborn']} stillborn"
    return f"{killed:,} of {counted(killed + survived, 'mutant')} noticed ({figures['rate']:.1%}); {rest}"
