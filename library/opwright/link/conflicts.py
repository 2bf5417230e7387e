"""Requirements of which a model can meet one alone: what each side needs, and why it needs it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Related


@dataclass(frozen=True, slots=True)
class Requirement:
    """One side of a conflict: who (`where`: a node, a function, a library, an import) needs what."""

    where: str
    needs: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """A finding with its proof, the two sides that cannot both have what they need."""

    finding: Diagnostic
    sides: tuple[Requirement, Requirement]


class ConflictError(DiagnosticError):
    """Raised where no value can be returned; carries the conflicts as well."""

    def __init__(self, conflicts: Iterable[Conflict]) -> None:
        self.conflicts = tuple(conflicts)
        super().__init__(item.finding for item in self.conflicts)


def make_conflict(finding: Diagnostic, first: Requirement, second: Requirement) -> Conflict:
    """A conflict whose finding shows both sides."""
    place = finding.place or Place("model")
    sides = (first, second)
    related = tuple(Related(place, f"{side.where} {side.needs}") for side in sides)
    return Conflict(replace(finding, related=related), sides)
