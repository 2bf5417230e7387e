"""`opwright test`: every body on its vectors, on every runtime at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright_build.report.course import Stage
from opwright_build.report.junit import junit_xml
from opwright_build.report.matrix_report import junit_entry, matrix_text, outcome_json, runtime_totals, totals_line
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.verify.cases.oracle import kept_fork_servers
from opwright_build.verify.run.isolation import kept_workers
from opwright_build.workflow.built.library import BuiltLibrary, build_library, read_built
from opwright_build.workflow.judged.judged_library import Subject, broken_versions, collect
from opwright_build.workflow.judged.judged_versions import Judging
from opwright_build.workflow.judged.library_verdicts import Verdicts, judge
from opwright_build.workflow.judged.narrowing import Narrowing
from opwright_build.workflow.judged.sandboxes import clause, record, require_for_workers
from opwright_build.workflow.mutating import mutate
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import NOTHING, finish, on_library
from opwright_build.workflow.opened.writing import write_file
from opwright_build.workflow.selection.last_runs import note_failures

if TYPE_CHECKING:
    from opwright_build.spec.model import LoadedLibrary
    from opwright_build.verify.run.matrix import Row


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
        wanted = replace(options, reads_only=not scope.update_gaps)
        return on_library(path, reporter, wanted, lambda session: _verify(session, scope, started))


def _verify(session: Session, scope: Scope, started: float) -> int:
    from opwright_build.spec.load import load_library
    from opwright_build.verify.run.matrix import rows_of

    session.reporter.plan([Stage.COMPILE, Stage.VERIFY, *([Stage.MUTANTS] if scope.mutants else [])])
    loaded = load_library(session.root)
    library = build_library(session)
    if not library.good:
        note_failures(session, (), broken_versions(loaded, library.diagnostics))
        return finish(session, started, library.diagnostics, "", {})
    if library.is_empty:
        return finish(session, started, library.diagnostics, NOTHING, _nothing(library))
    subject = _subject(session, library, loaded)
    judging = _judging(subject, scope)
    verdicts = judge(subject, judging, scope.update_gaps)
    is_part = scope.cells.leaves_out or not scope.run_oracle  # what failed may not have run: it stays known
    note_failures(session, verdicts.failed if is_part else verdicts.tested, verdicts.failed)
    if not verdicts.cells and verdicts.cases and scope.cells.is_partial and subject.only is None:
        # (A selection may have none of them.)
        message = "no vector of the library runs with such a type at such an opset"
        raise usage_error(message, help="name other ones with --type and --opset")
    _tell_outcomes(session, library, verdicts, scope.junit)
    rows = rows_of(verdicts.kinds, subject.bundle.index.functions)
    if rows and scope.table:
        session.reporter.table(matrix_text(rows))
    fields = _fields(subject, library, judging, verdicts, rows)
    lines, findings = _lines(verdicts, fields), verdicts.findings
    if scope.mutants:
        fields["mutants"], more = mutate(subject, collect(subject, scope.run_oracle, scope.sandbox).cases)
        findings += more
        lines.append(_mutants_line(fields["mutants"]))
    lines.append(_last_line(verdicts, scope))
    return finish(session, started, [*library.diagnostics, *findings], "\n".join(lines), fields)


def _subject(session: Session, library: BuiltLibrary, loaded: LoadedLibrary) -> Subject:
    """The library, or what is selected of it."""
    bundle = read_built(session, library)
    if library.chosen is not None:
        return Subject(session, loaded, bundle, set(library.chosen))
    only = {entry.identity for entry in bundle.index.functions} if session.packages else None
    return Subject(session, loaded, bundle, only)


def _judging(subject: Subject, scope: Scope) -> Judging:
    """How it is judged, once all that is asked for is sure to be there."""
    from opwright_build.verify.run.runtimes import available

    if scope.sandbox:
        require_for_workers(subject.session.workers_claim(min(scope.sandbox, 1)), scope.sandbox)
    runtimes = scope.cells.narrowed(available())
    functions = subject.bundle.index.functions
    scope.cells.require_types(kind for entry in functions for _, admitted in entry.types for kind in admitted)
    return Judging(runtimes, scope.cells, scope.run_oracle, scope.sandbox)


def _tell_outcomes(session: Session, library: BuiltLibrary, verdicts: Verdicts, junit: Path | None) -> None:
    """Every outcome as an event, and to the file `junit`."""
    from opwright_build.spec.runtime_names import family_of

    outcomes = list(verdicts.outcomes) if session.reporter.tells_events or junit is not None else []
    if session.reporter.tells_events:
        for outcome in outcomes:
            session.reporter.event("outcome", outcome_json(outcome))
    if junit is not None:
        new = {change.family for change in verdicts.changes}
        entries = [junit_entry(outcome, declared=family_of(outcome.runtime) not in new) for outcome in outcomes]
        names = " ".join(package["library"] for package in library.packages)
        write_file(junit, junit_xml(f"opwright test {names}", entries).encode())


def _fields(
    subject: Subject, library: BuiltLibrary, judging: Judging, verdicts: Verdicts, rows: Sequence[Row]
) -> dict[str, Any]:
    """The summary's fields."""
    from opwright_build.spec.runtime_names import family_of

    session, index = subject.session, subject.bundle.index
    return {
        **({"library": index.library, "version": index.version} if len(library.packages) == 1 else {}),
        "packages": _packages(library),
        "versions": len({row.identity for row in rows}),
        "pairs": sum(bool(row.types) for row in rows),  # a function without type variables has a row, and no pair
        "cases": verdicts.cases,
        "spread": judging.cells.spread,
        "kept": verdicts.kept,
        "skipped": verdicts.skipped,
        "oracles": verdicts.oracles,
        "sandbox": record(verdicts.sandbox),
        "workers": record(session.workers_claim() if verdicts.kept < verdicts.cells else None),
        "runtimes": runtime_totals(verdicts.kinds),
        "releases": {family_of(runtime.name): runtime.release for runtime in judging.runtimes},
        "changes": [asdict(change) for change in verdicts.changes],
    }


def _nothing(library: BuiltLibrary) -> dict[str, Any]:
    """The same where nothing is selected."""
    counts = dict.fromkeys(("versions", "pairs", "cases", "kept", "skipped", "oracles"), 0)
    packages, places = _packages(library), {"sandbox": None, "workers": None}
    return {"packages": packages, **counts, "spread": False, **places, "runtimes": {}, "releases": {}, "changes": []}


def _packages(library: BuiltLibrary) -> list[dict[str, str]]:
    return [{"library": item["library"], "version": item["version"]} for item in library.packages]


def _lines(verdicts: Verdicts, fields: Mapping[str, Any]) -> list[str]:
    """What people are told of vectors and runtimes."""
    counts = (
        counted(fields["versions"], "version"),
        counted(fields["pairs"], "(version, type) pair"),
        counted(verdicts.cases, "case"),
    )
    totals = (totals_line(name, counts) for name, counts in fields["runtimes"].items())
    return [", ".join(counts), *totals, *map(str, verdicts.changes)]


def _last_line(verdicts: Verdicts, scope: Scope) -> str:
    known = f", {verdicts.kept:,} of them known from earlier runs" if verdicts.kept else ""
    part = ", a spread of the opsets" if scope.cells.spread else ""
    return f"{counted(verdicts.cells, 'cell')}{part}{known}; {clause(verdicts.sandbox)}{{seconds}}"


def _mutants_line(figures: dict[str, Any]) -> str:
    killed, survived = figures["killed"], figures["survived"]
    rest = f"{figures['excused']} excused, {figures['stillborn']} stillborn"
    return f"{killed:,} of {counted(killed + survived, 'mutant')} noticed ({figures['rate']:.1%}); {rest}"
