"""The verdicts of `opwright test` on a library: those on its versions, and what is wrong with vectors and gaps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity, has_errors

from opwright_build.spec.confine import LibraryFiles
from opwright_build.workflow.judged.judged_library import Subject
from opwright_build.workflow.judged.judged_versions import JudgedVersions, Judging, judge_versions
from opwright_build.workflow.judged.narrowing import Narrowing
from opwright_build.workflow.judged.sandboxes import warnings
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.writing import write_below

if TYPE_CHECKING:
    from opwright_build.sandbox.levels import Claim
    from opwright_build.verify.case_model import Kind, Outcome
    from opwright_build.verify.cases.lock import LockedCase
    from opwright_build.verify.facts.gaps import GapsFile
    from opwright_build.verify.judge.gap_checks import Change, Run
    from opwright_build.verify.run.runtimes import Runtime


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The outcomes and their kinds, what is wrong with them, and what releases that no row knows do otherwise.

    `kept`, `cases`, `skipped` and `oracles` are numbers: of outcomes that are known from earlier runs, of vectors that
    are used and that are not, of references that were asked. `sandbox` is what references ran in now; None where none
    did. `tested` are the identities of the versions that were judged, `failed` those of them that failed.
    """

    outcomes: Iterable[Outcome]
    kinds: Sequence[Kind]
    findings: list[Diagnostic]
    changes: list[Change]
    kept: int
    cases: int
    skipped: int
    oracles: int
    sandbox: Claim | None
    tested: tuple[str, ...]
    failed: tuple[str, ...]

    @property
    def cells(self) -> int:
        """How many outcomes there are."""
        return sum(kind.count for kind in self.kinds)


def judge(subject: Subject, judging: Judging, update_gaps: bool) -> Verdicts:
    """The verdicts. With `update_gaps` the gaps are written for the releases that ran instead of checked. Where some
    cells are left out, nothing is said of what did not pass elsewhere. InfrastructureError where the machine has not
    the sandbox that is required."""
    from opwright_build.verify.cases.collect import locked_cases
    from opwright_build.verify.facts.gap_releases import rows_in_force
    from opwright_build.verify.facts.gaps import FILE, GapsFile, read_gaps, write_gaps
    from opwright_build.verify.judge.findings import failures, inlined_alone, lacking
    from opwright_build.verify.judge.gap_checks import check_gaps, merge_gaps
    from opwright_build.verify.run.matrix import with_gaps

    session, cells = subject.session, judging.cells
    data = session.tree.read(FILE)
    declared = GapsFile(()) if data is None else read_gaps(data)
    run = _run_of(subject, judging.runtimes)
    if update_gaps:
        _require_writable(declared, run, cells)
    locked, of_lock = locked_cases(LibraryFiles(session.root))
    judged = judge_versions(subject, judging, locked)
    kinds = [kind for verdict in judged.verdicts for kind in verdict.kinds if cells.fits(kind.outcome)]
    firsts = [kind.outcome for kind in kinds]  # whatever is found about outcomes, it is found about these
    of_vectors = _of_vectors(subject, cells, judged, locked, of_lock)
    findings = [*of_vectors, *declared.diagnostics, *failures(firsts), *lacking(firsts)]
    findings += inlined_alone(subject.bundle, subject.entries, subject.places)
    changes: list[Change] = []
    if update_gaps:
        write_below(session.tree, FILE, write_gaps(merge_gaps(declared, firsts, run)).encode())
    elif not cells.leaves_out:
        found, changes = check_gaps(declared, firsts, run, whole=not cells.spread)
        findings += found
    if not cells.leaves_out:
        findings += _unproved(subject, of_vectors, firsts, cells)
    if cells.first:
        findings = _up_to_the_first_error(findings)
    verdicts, failed = judged.verdicts, _failed(judged, firsts, findings)
    outcomes = (item for verdict in verdicts for item in verdict.outcomes if cells.fits(item))
    return Verdicts(
        with_gaps(outcomes, rows_in_force(declared, run.releases)),
        kinds,
        findings,
        changes,
        cases=sum(verdict.cases for verdict in verdicts),
        kept=judged.kept,
        skipped=sum(verdict.skipped for verdict in verdicts),
        oracles=len({verdict.reference for verdict in verdicts if verdict.reference}),
        sandbox=judged.sandbox,
        tested=tuple(verdict.identity for verdict in verdicts),
        failed=tuple(verdict.identity for verdict in verdicts if verdict.identity in failed),
    )


def _run_of(subject: Subject, runtimes: Sequence[Runtime]) -> Run:
    """What runs, as rows of gaps are about it."""
    from opwright_build.spec.runtime_names import family_of
    from opwright_build.verify.judge.gap_checks import Run

    identities = [version.identity for version in subject.loaded.versions]
    return Run(
        runtimes=[runtime.name for runtime in runtimes],
        releases={family_of(runtime.name): runtime.release for runtime in runtimes},
        identities={identity: subject.only is None or identity in subject.only for identity in identities},
    )


def _of_vectors(
    subject: Subject,
    cells: Narrowing,
    judged: JudgedVersions,
    locked: Mapping[str, LockedCase],
    of_lock: Iterable[Diagnostic],
) -> Collection[Diagnostic]:
    """What is wrong with vectors and with their lock, each once; and that references ran without a sandbox."""
    from opwright_build.verify.cases.lock import unused_lines

    found = dict.fromkeys(item for verdict in judged.verdicts for item in verdict.diagnostics)
    found.update(dict.fromkeys((*of_lock, *warnings(judged.sandbox))))
    if subject.only is None and not cells.first:
        used = {name for verdict in judged.verdicts for name in verdict.suite}
        found.update(dict.fromkeys(unused_lines(used, locked)))
    return found


def _unproved(
    subject: Subject, of_vectors: Iterable[Diagnostic], firsts: Sequence[Outcome], cells: Narrowing
) -> list[Diagnostic]:
    """The bodies and types that no vector proves, of versions whose vectors are sound."""
    from opwright_build.verify.judge.findings import unverified

    sound = subject.sound(of_vectors)
    if cells.spread:  # a body may be proved by a vector of another variant that has it too, at opsets left out
        sound = [replace(entry, bodies=()) for entry in sound]
    return list(unverified(sound, firsts, subject.places))


def _failed(judged: JudgedVersions, firsts: Iterable[Outcome], findings: Iterable[Diagnostic]) -> set[str]:
    """The identities of the versions with an outcome that fails, or an error."""
    from opwright_build.verify.case_model import Status

    failed = {item.case.identity for item in firsts if item.status is Status.FAIL}
    failed |= {verdict.identity for verdict in judged.verdicts if has_errors(verdict.diagnostics)}
    return failed | {item.subject for item in findings if item.subject and item.severity is Severity.ERROR}


def _up_to_the_first_error(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The warnings, and one error."""
    errors = [item for item in findings if item.severity is Severity.ERROR]
    return [item for item in findings if item.severity is not Severity.ERROR or item is errors[0]]


def _require_writable(declared: GapsFile, run: Run, cells: Narrowing) -> None:
    """Raises where an update would lose rows, or list a release of which only a part is known."""
    from opwright_build.verify.facts.gap_releases import unlisted
    from opwright_build.verify.facts.gaps import FILE

    if cells.leaves_out or cells.spread:
        message = f"{FILE} cannot be written by a run of some cells"
        raise usage_error(message, help="leave out --type, --opset, --runtime, --spread and -x")
    if has_errors(declared.diagnostics):
        raise DiagnosticError(declared.diagnostics)
    new = unlisted(declared, run.releases)
    if new and not all(run.identities.values()):
        named = " and ".join(f"{family} {release}" for family, release in new.items())
        message = f"{named} cannot be added to {FILE} by a run of some functions"
        raise usage_error(message, help="leave out --select and --package")
