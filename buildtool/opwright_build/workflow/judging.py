"""The parts of `opwright test`: vectors, outcomes, mutants, each with what is wrong about them."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity, has_errors

from opwright_build.report.tables import counted
from opwright_build.workflow.sandboxes import require, warnings
from opwright_build.workflow.session import Session
from opwright_build.workflow.status import UsageError
from opwright_build.workflow.writing import write_below

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle, FunctionEntry

    from opwright_build.spec.model import LoadedLibrary
    from opwright_build.verify.case_model import Case, CollectedCases, Outcome
    from opwright_build.verify.gap_checks import Change, Run
    from opwright_build.verify.gaps import GapsFile
    from opwright_build.verify.runtimes import Runtime


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The outcomes, what is wrong with them, and what releases that no row knows do otherwise."""

    outcomes: list[Outcome]
    findings: list[Diagnostic]
    changes: list[Change]


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: a built library, or `only` the versions of those identities."""

    session: Session
    loaded: LoadedLibrary
    bundle: Bundle
    only: Collection[str] | None

    @property
    def entries(self) -> list[FunctionEntry]:
        functions = self.bundle.index.functions
        return [entry for entry in functions if self.only is None or entry.identity in self.only]

    @property
    def places(self) -> dict[str, Place]:
        """Where each version is specified: its types, or its file."""
        return {version.identity: _place(version.places) for version in self.loaded.versions}

    def sound(self, diagnostics: Iterable[Diagnostic]) -> list[FunctionEntry]:
        """The versions whose own files have none of these errors: of the others, what follows is no news."""
        files = [item.place.file for item in diagnostics if item.place and item.severity is Severity.ERROR]
        broken = {
            version.identity
            for version in self.loaded.versions
            if any(file.startswith(f"{self._folder(version.folder)}/") for file in files)
        }
        return [entry for entry in self.entries if entry.identity not in broken]

    def _folder(self, folder: os.PathLike[str]) -> str:
        return os.path.relpath(folder, self.session.root).replace(os.sep, "/")


def collect(subject: Subject, run_oracle: bool, sandbox: int = 0) -> CollectedCases:
    """All vectors. With `run_oracle` this is where Python of a spec is run, and the user is told.

    `sandbox` is the level without which none is to be run; InfrastructureError where the machine has no such one.
    """
    from opwright_build.verify.collect import collect_cases

    how = "reference.py of each spec is run, in a child process" if run_oracle else "no Python of a spec is run"
    subject.session.reporter.step(f"collecting vectors; {how}")
    interfaces = {entry.identity: entry for entry in subject.bundle.index.functions}
    collected = collect_cases(
        subject.loaded.versions,
        interfaces,
        subject.session.root,
        run_oracle=run_oracle,
        only=subject.only,
        accept=(lambda claim: require(claim, sandbox)) if sandbox else None,
    )
    return replace(collected, diagnostics=(*collected.diagnostics, *warnings(collected.sandbox)))


def judge(subject: Subject, collected: CollectedCases, runtimes: Sequence[Runtime], update_gaps: bool) -> Verdicts:
    """The verdicts. With `update_gaps` the gaps are written for the releases that ran instead of checked."""
    from opwright_build.verify.admits import admissions, require_agreement
    from opwright_build.verify.findings import failures, unverified
    from opwright_build.verify.gap_checks import Run, check_gaps, merge_gaps
    from opwright_build.verify.gap_releases import rows_in_force
    from opwright_build.verify.gaps import FILE, GapsFile, family_of, read_gaps, write_gaps
    from opwright_build.verify.matrix import BodyFunctions, verify_cases

    session = subject.session
    instantiated = BodyFunctions(subject.bundle)
    require_agreement(admissions(subject.bundle, instantiated))
    data = session.tree.read(FILE)
    declared = GapsFile(()) if data is None else read_gaps(data)
    identities = [version.identity for version in subject.loaded.versions]
    run = Run(
        runtimes=[runtime.name for runtime in runtimes],
        releases={family_of(runtime.name): runtime.release for runtime in runtimes},
        identities={identity: subject.only is None or identity in subject.only for identity in identities},
    )
    if update_gaps:
        _require_writable(declared, run)
    session.reporter.step(f"verifying {counted(len(collected.cases), 'case')}")
    outcomes = verify_cases(
        subject.bundle,
        collected.cases,
        runtimes=runtimes,
        gaps=rows_in_force(declared, run.releases),
        workers=_workers(),
        progress=lambda done, total: session.reporter.advance(done, total, "verifying"),
        instantiated=instantiated,
    )
    findings = [*declared.diagnostics, *failures(outcomes)]
    changes: list[Change] = []
    if update_gaps:
        write_below(session.tree, FILE, write_gaps(merge_gaps(declared, outcomes, run)).encode())
    else:
        found, changes = check_gaps(declared, outcomes, run)
        findings += found
    findings += unverified(subject.sound(collected.diagnostics), outcomes, subject.places)
    return Verdicts(outcomes, findings, changes)


def _require_writable(declared: GapsFile, run: Run) -> None:
    """Raises where an update would lose rows, or list a release of which only a part is known."""
    from opwright_build.verify.gap_releases import unlisted
    from opwright_build.verify.gaps import FILE

    if has_errors(declared.diagnostics):
        raise DiagnosticError(declared.diagnostics)
    new = unlisted(declared, run.releases)
    if new and not all(run.identities.values()):
        named = " and ".join(f"{family} {release}" for family, release in new.items())
        message = f"{named} cannot be added to {FILE} by a run of some functions"
        raise UsageError([Diagnostic("OW907", message, help="leave out --function")])


def mutate(subject: Subject, cases: Sequence[Case]) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The figures of the mutants, and what is wrong with the survivors."""
    from opwright_build.verify.mutants import run_mutants
    from opwright_build.verify.survivors import FILE, SurvivorsFile, check_mutants, read_survivors, tally

    session = subject.session
    session.reporter.step("changing bodies, to see whether the vectors notice")
    scores = run_mutants(
        subject.bundle,
        cases,
        workers=_workers(),
        progress=lambda done, total: session.reporter.advance(done, total, "mutants"),
    )
    for score in scores:
        for fate in score.fates:
            event = {"function": fate.identity, "mutant": fate.id, "fate": fate.fate, "by": fate.by or None}
            session.reporter.event("mutant", event)
    data = session.tree.read(FILE)
    listed = SurvivorsFile(()) if data is None else read_survivors(data)
    identities = [version.identity for version in subject.loaded.versions]
    findings = check_mutants(scores, listed.survivors, places=subject.places, identities=identities)
    total = tally(scores, listed.survivors)
    figures = {
        "killed": total.killed,
        "survived": total.unlisted,
        "excused": total.listed,
        "stillborn": total.stillborn,
        "rate": round(total.rate, 4),
    }
    return figures, [*listed.diagnostics, *findings]


def _place(places: Mapping[str, Place]) -> Place:
    return places["types"] if "types" in places else next(iter(places.values()))


def _workers() -> int:
    """One process for each processor that we may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
