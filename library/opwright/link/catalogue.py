"""Several libraries as one: functions by identity, bodies by digest, and which release each came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry, Index
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.suggest import close_in_any_case


@dataclass(frozen=True, slots=True)
class Origin:
    """A library release."""

    library: str
    version: str

    def __str__(self) -> str:
        return f"{self.library} {self.version}"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the linker looks things up in.

    `versions` holds every version of a function by (domain, name), oldest first; `opsets` is the widest range of
    the libraries, both ends included; `bodies` and `templates` are by digest.
    """

    functions: Mapping[str, FunctionEntry]
    versions: Mapping[tuple[str, str], tuple[FunctionEntry, ...]]
    bodies: Mapping[str, bytes]
    domains: Mapping[str, DomainEntry]
    origins: Mapping[str, Origin]
    opsets: tuple[int, int]
    templates: Mapping[str, bytes] = field(default_factory=dict)

    def emitted(self, domain: str) -> str:
        """The domain under which a library's domain appears in a model: its mirror, where it has one."""
        known = self.domains.get(domain)
        if known is not None:
            return known.mirror
        base, dot, last = domain.rpartition(".")
        known = self.domains.get(base)
        return f"{known.mirror}.{last}" if dot and known is not None else domain

    def versions_of(self, domain: str, name: str) -> tuple[FunctionEntry, ...]:
        """Every version of one function, oldest first."""
        return self.versions.get((domain, name), ())

    def close_names(self, domain: str, name: str) -> list[str]:
        """Functions of the domain that are named almost so."""
        names = sorted(candidate for owner, candidate in self.versions if owner == domain)
        return close_in_any_case(name, reversed(names))


def catalogue_of(functions: Mapping[str, FunctionEntry] | Index, bodies: Mapping[str, bytes]) -> Catalogue:
    """A catalogue of functions that are at hand without a bundle, or of an index with its bodies."""
    if isinstance(functions, Index):
        return _catalogue_of_index(_Same(functions), _Same(bodies))
    newest: dict[str, int] = {}
    for entry in functions.values():
        newest[entry.domain] = max(entry.since_version, newest.get(entry.domain, 1))
    domains = {name: DomainEntry(name, version, name) for name, version in newest.items()}
    return Catalogue(dict(functions), _by_name(functions.values()), bodies, domains, {}, (1, 1))


class _Same:
    """Equal to another of the very same object only: hashing an index would read all of it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@lru_cache(maxsize=2)
def _catalogue_of_index(index: _Same, bodies: _Same) -> Catalogue:
    """Kept, for a library is instantiated body by body. The bodies are the caller's own mapping, not a copy."""
    return replace(merge_libraries([Bundle(index.value, {}, "")]), bodies=bodies.value)


def merge_libraries(libraries: Iterable[Bundle]) -> Catalogue:
    """All libraries together.

    Where two define one domain, its version is the greater one. Raises DiagnosticError (OW563) when two libraries
    give one identity different interfaces or bodies.
    """
    functions: dict[str, FunctionEntry] = {}
    bodies: dict[str, bytes] = {}
    templates: dict[str, bytes] = {}
    domains: dict[str, DomainEntry] = {}
    origins: dict[str, Origin] = {}
    ranges: list[tuple[int, int]] = []
    problems: list[Diagnostic] = []
    for library in libraries:
        index = library.index
        origin = Origin(index.library, index.version)
        ranges.append(index.opsets)
        bodies.update(library.bodies)
        templates.update(library.templates)
        for domain in index.domains:
            known = domains.get(domain.name)
            if known is None or known.version < domain.version:
                domains[domain.name] = domain
        for entry in index.functions:
            if functions.setdefault(entry.identity, entry) != entry:
                problems.append(_two_definitions(entry, origins[entry.identity], origin))
            origins.setdefault(entry.identity, origin)
    if problems:
        raise DiagnosticError(problems)
    opsets = (min((first for first, _ in ranges), default=1), max((last for _, last in ranges), default=1))
    return Catalogue(functions, _by_name(functions.values()), bodies, domains, origins, opsets, templates)


def _by_name(functions: Iterable[FunctionEntry]) -> dict[tuple[str, str], tuple[FunctionEntry, ...]]:
    found: dict[tuple[str, str], list[FunctionEntry]] = {}
    for entry in functions:
        found.setdefault((entry.domain, entry.name), []).append(entry)
    return {key: tuple(sorted(entries, key=lambda entry: entry.since_version)) for key, entries in found.items()}


def _two_definitions(entry: FunctionEntry, first: Origin, second: Origin) -> Diagnostic:
    return Diagnostic(
        "OW563",
        f"{entry.identity} is defined differently by {first} and by {second}",
        reason="one model can hold one definition of an identity only",
        help="give one of the two libraries",
    )
