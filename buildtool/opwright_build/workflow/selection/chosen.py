"""The versions that the options of a command mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from opwright_build.workflow.opened.asked import Asked
from opwright_build.workflow.opened.status import UsageError
from opwright_build.workflow.selection.candidate import Candidate, candidates_of
from opwright_build.workflow.selection.language import (
    FAILED,
    Answers,
    InState,
    Selector,
    Since,
    Term,
    parse_selector,
)

if TYPE_CHECKING:
    from opwright.diagnostics.diagnostic import Diagnostic

    from opwright_build.spec.model import LoadedLibrary

Calls = Mapping[str, tuple[str, ...]]  # identities that each one calls


class Knowledge(Answers, Protocol):
    """All that a selection may ask."""

    @property
    def calls(self) -> Calls:
        """What each version calls, of all versions."""
        ...


@dataclass(frozen=True, slots=True)
class Chosen:
    """What is meant: `identities` of versions in the library's order, and `broken` functions (`domain::Name`), whose
    specs are wrong."""

    identities: tuple[str, ...]
    broken: tuple[str, ...]


def choose(asked: Asked, loaded: LoadedLibrary, knowledge: Knowledge) -> Chosen:
    """The versions that are meant. UsageError that names every selector that means nothing.

    Only what the selectors need is asked of `knowledge`.
    """
    candidates = candidates_of(loaded)
    groups = parse(asked)
    unknown = [
        finding
        for group in groups
        for selector in group
        for term in selector
        if (finding := _means_nothing(term, candidates, knowledge)) is not None
    ]
    if unknown:
        raise UsageError(unknown)
    meant = [_any_of(group, candidates, knowledge) for group in groups]
    chosen = [item for item in candidates if all(item.identity in group for group in meant)]
    return Chosen(
        tuple(item.identity for item in chosen if item.version),
        tuple(item.identity for item in chosen if not item.version),
    )


def parse(asked: Asked) -> list[list[Selector]]:
    """Groups of which each must hold, of selectors of which one must. UsageError when one makes no sense."""
    named: list[Selector] = [parse_selector(text) for text in asked.selectors]
    since: list[Selector] = [(Term(Since(revision)),) for revision in asked.since]
    failed: list[Selector] = [(Term(InState(FAILED)),)] if asked.failed else []
    return [group for group in (named, since, failed) if group]


def _means_nothing(term: Term, candidates: Sequence[Candidate], knowledge: Knowledge) -> Diagnostic | None:
    base = term.base
    if isinstance(base, InState | Since) or any(base.fits(item, knowledge) for item in candidates):
        return None
    return base.unknown(candidates)


def _any_of(selectors: Iterable[Selector], candidates: Sequence[Candidate], knowledge: Knowledge) -> set[str]:
    found: set[str] = set()
    for selector in selectors:
        terms = [_meant(term, candidates, knowledge) for term in selector]
        found |= set.intersection(*terms)
    return found


def _meant(term: Term, candidates: Sequence[Candidate], knowledge: Knowledge) -> set[str]:
    start = {item.identity for item in candidates if term.base.fits(item, knowledge)}
    found = set(start)
    if term.callees:
        found |= reached(start, knowledge.calls)
    if term.callers:
        found |= reached(start, reversed_calls(knowledge.calls))
    return found


def reached(start: Iterable[str], calls: Calls) -> set[str]:
    """`start` and all that they call, directly or not."""
    found = set(start)
    pending = list(found)
    while pending:
        for callee in calls.get(pending.pop(), ()):
            if callee not in found:
                found.add(callee)
                pending.append(callee)
    return found


def reversed_calls(calls: Calls) -> Calls:
    callers: dict[str, list[str]] = {}
    for caller, callees in calls.items():
        for callee in callees:
            callers.setdefault(callee, []).append(caller)
    return {callee: tuple(found) for callee, found in callers.items()}
