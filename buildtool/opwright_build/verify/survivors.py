"""`specs/mutants-survivors.yaml`: mutants that no vector can notice, each with the reason.

Most are changes without effect: the derivative at a point where both branches agree, 1 % of a number that is only there
to keep a division from failing. Whoever adds a row says so; a row whose mutant dies, or is no more, fails the run.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from opwright.diagnostics.model import Diagnostic, Place, Severity

from opwright_build.spec.boundary import check
from opwright_build.spec.verification_model import SurvivorsModel
from opwright_build.spec.yaml_nodes import node_at
from opwright_build.spec.yaml_source import read_yaml
from opwright_build.verify.mutants import KILLED, STILLBORN, SURVIVED, Fate, MutationScore

FILE = "specs/mutants-survivors.yaml"
REQUIRED = 0.95  # the part of the mutants that vectors must notice, those listed here apart


@dataclass(frozen=True, slots=True)
class Survivor:
    """One row: the mutant's id and why nothing can notice it."""

    id: str
    reason: str
    place: Place


@dataclass(frozen=True, slots=True)
class SurvivorsFile:
    survivors: tuple[Survivor, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def read_survivors(data: bytes, file: str = FILE) -> SurvivorsFile:
    """The rows of a file's bytes; anything wrong with them as diagnostics at their places."""
    source = read_yaml(data, file)
    if source.root is None:
        return SurvivorsFile((), source.diagnostics)
    checked = check(SurvivorsModel, source.root)
    diagnostics = (*source.diagnostics, *checked.diagnostics)
    if checked.value is None:
        return SurvivorsFile((), diagnostics)
    survivors: list[Survivor] = []
    for position, row in enumerate(checked.value.survivors):
        node = node_at(source.root, ("survivors", position))
        survivors.append(Survivor(row.id, row.reason, node.place if node is not None else Place(file)))
    return SurvivorsFile(tuple(survivors), diagnostics)


@dataclass(frozen=True, slots=True)
class Tally:
    """All mutants together; `listed` are the survivors with a reason, `unlisted` the others."""

    killed: int
    listed: int
    unlisted: int
    stillborn: int

    @property
    def rate(self) -> float:
        """The part of the mutants that vectors could notice and did; 1 where there are none."""
        counted = self.killed + self.unlisted
        return self.killed / counted if counted else 1.0


def tally(scores: Sequence[MutationScore], survivors: Sequence[Survivor]) -> Tally:
    listed = {row.id for row in survivors}
    fates = [fate for score in scores for fate in score.fates]
    excused = sum(fate.fate == SURVIVED and fate.id in listed for fate in fates)
    survived = sum(fate.fate == SURVIVED for fate in fates)
    killed = sum(fate.fate == KILLED for fate in fates)
    return Tally(killed, excused, survived - excused, sum(fate.fate == STILLBORN for fate in fates))


def check_mutants(
    scores: Sequence[MutationScore],
    survivors: Sequence[Survivor],
    *,
    places: Mapping[str, Place],
    identities: Collection[str],
) -> list[Diagnostic]:
    """Survivors nobody has explained (OW471), rows that are no longer true (OW472), too few killed (OW470).

    `places` says where each version is specified; `identities` are all versions of the library, so that a row of a
    version that was not run is left alone.
    """
    fates = {fate.id: fate for score in scores for fate in score.fates}
    listed = {row.id for row in survivors}
    findings = [
        _unexplained(fate, places.get(fate.identity))
        for fate in fates.values()
        if fate.fate == SURVIVED and fate.id not in listed
    ]
    run = {score.identity for score in scores}
    seen: set[str] = set()
    for row in survivors:
        identity = _identity(row.id)
        if row.id in seen:
            findings.append(_untrue(row, "the same mutant is listed twice"))
        elif identity not in identities:
            findings.append(_untrue(row, f"this library has no {identity}"))
        elif identity in run:
            fate = fates.get(row.id)
            if fate is None:
                findings.append(_untrue(row, "the version has no such mutant"))
            elif fate.fate != SURVIVED:
                findings.append(_untrue(row, f"it is {fate.fate} ({fate.by})" if fate.by else f"it is {fate.fate}"))
        seen.add(row.id)
    total = tally(scores, survivors)
    if total.rate < REQUIRED:
        message = f"the vectors notice {total.killed} of {total.killed + total.unlisted} mutants ({total.rate:.1%})"
        reason = f"at least {REQUIRED:.0%} of the changes of a body must make a vector fail"
        findings.append(Diagnostic("OW470", message, None, reason, "add vectors that the survivors fail"))
    return findings


def _identity(mutant: str) -> str:
    return mutant.partition(" ")[0].partition("[")[0]


def _unexplained(fate: Fate, place: Place | None) -> Diagnostic:
    help_text = f"add a vector that tells the two apart, or list the mutant in {FILE} with the reason why none can"
    reason = "every vector gives the same with this change as without"
    return Diagnostic("OW471", f"no vector notices: {fate.id}", place, reason, help_text, severity=Severity.WARNING)


def _untrue(row: Survivor, reason: str) -> Diagnostic:
    return Diagnostic("OW472", f"the survivor `{row.id}` is not one", row.place, reason, "remove the row")
