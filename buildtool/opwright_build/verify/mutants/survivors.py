"""`specs/mutants-survivors.yaml`: mutants that no vector can notice, each with the reason.

Most are changes without effect: which branch is taken where both agree, 1 % of a number that is only there to keep a
division from failing. A `*` in an id stands for any text, such as the versions and element types for which one reason
holds. A row gives its reason; a row whose mutants all die, or are no more, fails the run.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

from opwright_build.spec.boundary import check
from opwright_build.spec.verification_model import SurvivorsModel
from opwright_build.spec.yaml_nodes import node_at
from opwright_build.spec.yaml_source import read_yaml
from opwright_build.verify.mutants.mutation_score import KILLED, STILLBORN, SURVIVED, Fate, MutationScore

FILE = "specs/mutants-survivors.yaml"
REQUIRED = 0.95  # the part of the mutants that vectors must notice, those listed here apart


@dataclass(frozen=True, slots=True)
class Survivor:
    """One row: the mutant's id, or a pattern of ids, and why nothing can notice it."""

    id: str
    reason: str
    place: Place

    def covers(self, mutant: str) -> bool:
        return _pattern(self.id).fullmatch(mutant) is not None


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
    fates = [fate for score in scores for fate in score.fates]
    survived = [fate for fate in fates if fate.fate == SURVIVED]
    listed = sum(any(row.covers(fate.id) for row in survivors) for fate in survived)
    killed = sum(fate.fate == KILLED for fate in fates)
    stillborn = sum(fate.fate == STILLBORN for fate in fates)
    return Tally(killed, listed, len(survived) - listed, stillborn)


def check_mutants(
    scores: Sequence[MutationScore],
    survivors: Sequence[Survivor],
    *,
    places: Mapping[str, Place],
    identities: Collection[str],
) -> list[Diagnostic]:
    """Unexplained survivors (OW471), rows that are no longer true (OW472), too few killed (OW470).

    `places` says where each version is specified; `identities` are all versions of the library, so that a row of a
    version that was not run is left alone.
    """
    fates = [fate for score in scores for fate in score.fates]
    findings = [
        _unexplained(fate, places.get(fate.identity))
        for fate in fates
        if fate.fate == SURVIVED and not any(row.covers(fate.id) for row in survivors)
    ]
    run = {score.identity for score in scores}
    seen: set[str] = set()
    for row in survivors:
        meant = [identity for identity in identities if _may_be_about(row.id, identity)]
        if row.id in seen:
            findings.append(_untrue(row, "the same row stands above"))
        elif not meant:
            findings.append(_untrue(row, "this library has no such version"))
        elif run.issuperset(meant):
            findings.extend(_check_row(row, fates))
        seen.add(row.id)
    total = tally(scores, survivors)
    if total.rate < REQUIRED:
        message = f"the vectors notice {total.killed} of {total.killed + total.unlisted} mutants ({total.rate:.1%})"
        reason = f"at least {REQUIRED:.0%} of the changes of a body must make a vector fail"
        findings.append(Diagnostic("OW470", message, None, reason, "add vectors that the survivors fail"))
    return findings


def _check_row(row: Survivor, fates: Sequence[Fate]) -> list[Diagnostic]:
    meant = [fate for fate in fates if row.covers(fate.id)]
    if not meant:
        return [_untrue(row, "there is no such mutant")]
    if any(fate.fate == SURVIVED for fate in meant):
        return []
    return [_untrue(row, f"it is {meant[0].fate} ({meant[0].by})" if meant[0].by else f"it is {meant[0].fate}")]


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in text.split("*")))


def _may_be_about(row: str, identity: str) -> bool:
    """The version stands before the variant or the node; from a `*` on, it may be any."""
    version, star, _ = row.partition(" ")[0].partition("[")[0].partition("*")
    return identity.startswith(version) if star else identity == version


def _unexplained(fate: Fate, place: Place | None) -> Diagnostic:
    help_text = f"add a vector that tells the two apart, or list the mutant in {FILE} with the reason why none can"
    reason = "every vector gives the same with this change as without"
    return Diagnostic("OW471", f"no vector notices: {fate.id}", place, reason, help_text, severity=Severity.WARNING)


def _untrue(row: Survivor, reason: str) -> Diagnostic:
    return Diagnostic("OW472", f"the survivor `{row.id}` is not one", row.place, reason, "remove the row")
