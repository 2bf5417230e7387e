"""Whether the rows of `specs/runtime-gaps.yaml` agree with a run, and the rows after it.

Of a runtime whose release is listed, a refusal that no row covers fails the run, and so does a row that has nothing to
cover any more. Of another release the differences are counted, as a `Change`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.report.tables import counted
from opwright_build.spec.runtime_names import family_of, in_family
from opwright_build.verify.case_model import Outcome, Status, by_case
from opwright_build.verify.facts.gap_releases import compared_with, rows_in_force, unlisted
from opwright_build.verify.facts.gaps import (
    FILE,
    REFUSALS,
    Gap,
    GapIndex,
    GapsFile,
    gaps_from,
    join_releases,
    numbers,
    release_order,
    types_text,
)
from opwright_build.verify.judge.cells import RanAt, where

_UPDATE = "run `opwright test --update-gaps`, review the difference and commit it"


@dataclass(frozen=True, slots=True)
class Run:
    """What ran. `releases` are those of the runtimes, by family.

    `identities` holds every version of the library, true for those of which every case ran; of the others nothing can
    be said about rows.
    """

    runtimes: Sequence[str]
    releases: Mapping[str, str]
    identities: Mapping[str, bool]

    def of(self, families: Iterable[str]) -> Run:
        """The same without the runtimes of other families."""
        wanted = set(families)
        return replace(self, runtimes=[name for name in self.runtimes if family_of(name) in wanted])

    def judges(self, gap: Gap) -> bool:
        return self.identities[gap.operator] and any(in_family(name, gap.runtime) for name in self.runtimes)


@dataclass(frozen=True, slots=True)
class Change:
    """What the unlisted `release` of a family does otherwise than the listed one `against`, in cells."""

    family: str
    release: str
    against: str
    passing: int  # gaps where every case is loaded now
    unused: int  # gaps where no case runs now, as bodies run at the newest opset that is accepted
    refused: int  # refused, and no gap

    def __str__(self) -> str:
        passing = f"{counted(self.passing, 'cell')} that {'was a gap' if self.passing == 1 else 'were gaps'} now pass"
        unused = f"{counted(self.unused, 'gap')} no longer run{'s' if self.unused == 1 else ''}"
        refused = f"{counted(self.refused, 'cell')} without a row {'is' if self.refused == 1 else 'are'} refused"
        told = ((self.passing, passing), (self.unused, unused), (self.refused, refused))
        found = ", ".join(text for count, text in told if count) or "nothing changed"
        return (
            f"{self.family} {self.release} is not listed in {FILE}; compared with {self.against}: {found}; "
            "`opwright test --update-gaps` adds it"
        )


def check_gaps(
    file: GapsFile, outcomes: Iterable[Outcome], run: Run, *, whole: bool = True
) -> tuple[list[Diagnostic], list[Change]]:
    """Rows that are no longer true (OW452, OW453) and refusals that no row covers (OW451); and what releases change.

    Where not the `whole` of the bodies ran, nothing is said of rows: what they cover may be elsewhere.
    """
    by_operator = _distinct(outcomes)
    findings: list[Diagnostic] = []
    for gap in file.gaps:
        if gap.operator not in run.identities:
            reason = f"this library has no {gap.operator}"
            findings.append(Diagnostic("OW452", f"the row `{gap}` covers nothing", gap.place, reason, "remove the row"))
    rows = [gap for gap in rows_in_force(file, run.releases) if gap.operator in run.identities]
    new = unlisted(file, run.releases)
    listed = run.of(family_of(name) for name in run.runtimes if family_of(name) not in new)
    findings += _refusals(_undeclared(rows, by_operator, listed), by_operator)
    for gap in rows if whole else ():
        if listed.judges(gap):
            findings.extend(_check_row(gap, by_operator.get(gap.operator, []), listed.runtimes))
    against = compared_with(file, run.releases)
    changes = [
        _change(rows, by_operator, run.of([family]), (family, release, against[family]))
        for family, release in (new.items() if whole else ())
    ]
    return findings, changes


def _distinct(outcomes: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    """By operator, the first outcome of those that no row can tell apart."""
    found: dict[str, list[Outcome]] = {}
    seen: set[tuple[object, ...]] = set()
    for case, cells in by_case(outcomes):
        types = tuple(case.bindings.items())
        for outcome in cells:
            key = (case.identity, types, outcome.runtime, outcome.opset, outcome.status)
            if key not in seen:
                seen.add(key)
                found.setdefault(case.identity, []).append(outcome)
    return found


def merge_gaps(file: GapsFile, outcomes: Iterable[Outcome], run: Run) -> GapsFile:
    """The file after a run of listed and new releases.

    What ran is made anew for the releases that ran, rows of other releases and of what did not run stay, and those of
    what is no more go.
    """
    families = {family_of(name) for name in run.runtimes}
    releases = {
        **file.releases,
        **{
            family: tuple(sorted({*file.releases.get(family, ()), run.releases[family]}, key=release_order))
            for family in sorted(families)
        },
    }
    kept: list[Gap] = []
    for gap in file.gaps:
        running = run.releases.get(family_of(gap.runtime), "")
        named = gap.releases or ((running,) if running else ())
        if gap.operator not in run.identities:
            continue
        if run.judges(gap):
            named = tuple(release for release in named if release != running)
            if not named:
                continue
        kept.append(replace(gap, releases=named))
    made = [replace(gap, releases=(run.releases[family_of(gap.runtime)],)) for gap in gaps_from(outcomes)]
    return GapsFile(tuple(join_releases([*kept, *made])), releases=releases)


def _check_row(gap: Gap, outcomes: Sequence[Outcome], runtimes: Sequence[str]) -> list[Diagnostic]:
    """Every runtime and opset of the row must have a refusal."""
    findings: list[Diagnostic] = []
    for name, (unused, passing) in _stale(gap, outcomes, runtimes).items():
        if unused:
            reason = f"no case runs on {name} at opset {numbers(unused)} with these types"
            findings.append(Diagnostic("OW452", f"the row `{gap}` covers nothing", gap.place, reason, _UPDATE))
        if passing:
            reason = f"{name} loads every case at opset {numbers(passing)}"
            findings.append(Diagnostic("OW453", f"the row `{gap}` is no longer true", gap.place, reason, _UPDATE))
    return findings


def _stale(gap: Gap, outcomes: Sequence[Outcome], runtimes: Sequence[str]) -> dict[str, tuple[list[int], list[int]]]:
    """For each runtime of the row its opsets at which no case runs, and those at which every case is loaded. Where the
    machine lacks what a case needs, neither is known."""
    refused: dict[tuple[str, int], bool] = {}
    unknown: set[tuple[str, int]] = set()
    for outcome in outcomes:
        if gap.concerns(outcome) and outcome.status is Status.LACKING:
            unknown.add((outcome.runtime, outcome.opset))
        elif gap.concerns(outcome):
            key = (outcome.runtime, outcome.opset)
            refused[key] = refused.get(key, False) or outcome.status is gap.status
    return {
        name: (
            [opset for opset in gap.opsets if (name, opset) not in refused and (name, opset) not in unknown],
            [opset for opset in gap.opsets if refused.get((name, opset)) is False and (name, opset) not in unknown],
        )
        for name in runtimes
        if in_family(name, gap.runtime)
    }


def _undeclared(gaps: Sequence[Gap], by_operator: Mapping[str, Sequence[Outcome]], run: Run) -> list[Outcome]:
    """One outcome for each cell that is refused without a row."""
    index = GapIndex(gaps)
    found: dict[tuple[str, ...], Outcome] = {}
    for outcomes in by_operator.values():
        for outcome in outcomes:
            if outcome.status not in REFUSALS or outcome.runtime not in run.runtimes or index.find(outcome) is not None:
                continue
            case = outcome.case
            cell = (case.identity, outcome.runtime, types_text(case.bindings), str(outcome.opset))
            found.setdefault(cell, outcome)
    return list(found.values())


def _refusals(outcomes: Iterable[Outcome], by_operator: Mapping[str, Sequence[Outcome]]) -> list[Diagnostic]:
    """One finding for each reason for which a version is refused without a row, at the first vector that it hits."""
    found: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault((outcome.case.identity, outcome.message), []).append(outcome)
    findings: list[Diagnostic] = []
    for (identity, reason), cells in found.items():
        place = cells[0].case.place
        message = f"{identity} is not loaded {where(cells, RanAt(by_operator[identity]))}"
        findings.append(Diagnostic("OW451", message, place, reason, _UPDATE))
    return findings


def _change(
    rows: Sequence[Gap], by_operator: Mapping[str, Sequence[Outcome]], run: Run, which: tuple[str, str, str]
) -> Change:
    stale = [_stale(gap, by_operator.get(gap.operator, []), run.runtimes).values() for gap in rows if run.judges(gap)]
    unused = sum(len(opsets) for found in stale for opsets, _ in found)
    passing = sum(len(opsets) for found in stale for _, opsets in found)
    return Change(*which, passing=passing, unused=unused, refused=len(_undeclared(rows, by_operator, run)))
