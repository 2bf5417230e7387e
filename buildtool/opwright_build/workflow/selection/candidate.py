"""What selectors are matched with: the versions of a library, and the functions whose specs cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opwright_build.spec.model import LoadedLibrary, OpsetRange


@dataclass(frozen=True, slots=True)
class Candidate:
    """One version. Of a function whose spec is wrong `version` is empty, and nothing is known but its folder.

    `folder` is relative to the library's root; `packages` are the names of its package, that of the distribution and
    that of the import.
    """

    identity: str
    domain: str
    name: str
    version: str
    folder: str
    packages: tuple[str, ...]
    tags: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    opsets: OpsetRange | None = None

    def labels(self, kind: str) -> Sequence[str]:
        """`kind` is `domain`, `tag`, `type` or `package`."""
        match kind:
            case "domain":
                return (self.domain,)
            case "package":
                return self.packages
            case "tag":
                return self.tags
            case _:
                return self.types


def candidates_of(loaded: LoadedLibrary) -> list[Candidate]:
    """The versions of a library in their order, and behind them the functions that were left out."""
    found = [
        Candidate(
            version.identity,
            version.domain.name,
            version.name,
            str(version.since_version),
            f"specs/{version.domain.name}/{version.name}",
            _names(loaded, version.domain.name),
            version.tags,
            tuple(dict.fromkeys(kind for admitted in version.types.values() for kind in admitted)),
            version.opsets,
        )
        for version in loaded.versions
    ]
    for identity in loaded.broken:
        domain, _, name = identity.partition("::")
        found.append(Candidate(identity, domain, name, "", f"specs/{domain}/{name}", _names(loaded, domain)))
    return found


def _names(loaded: LoadedLibrary, domain: str) -> tuple[str, ...]:
    owner = loaded.library.package_of(domain)
    return (owner.name, owner.package)
