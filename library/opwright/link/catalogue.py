"""Several libraries as one: functions by identity, bodies by digest, and which release each came from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Generic, TypeVar

from opwright.bundle.format import Bundle, DependencyEntry, DomainEntry, FunctionEntry, Index
from opwright.bundle.function_lookup import Functions, HeldFunctions, Name
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.link.borrowed import Borrowed, Origin, differing_parts, same_function
from opwright.link.conflicts import Conflict, ConflictError, Requirement, make_conflict
from opwright.suggest import close_in_any_case

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
Held = TypeVar("Held")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the linker looks things up in.

    `versions` holds every version of a function by (domain, name), oldest first; `opsets` is the widest range of
    the libraries, both ends included; `bodies` and `templates` are by digest. `borrowed` is what the libraries carry
    of others. `made_of` has, for bodies that no library holds but that follow from some, the digests of those, by the
    identity of the function and the body's digest: two versions may have one such body, made of others. `assumed` are
    the versions of domains, by the names that they have in models, that a model means which imports none.
    """

    functions: Mapping[str, FunctionEntry]
    versions: Mapping[tuple[str, str], tuple[FunctionEntry, ...]]
    bodies: Mapping[str, bytes]
    domains: Mapping[str, DomainEntry]
    origins: Mapping[str, Origin]
    opsets: tuple[int, int]
    templates: Mapping[str, bytes] = field(default_factory=dict)
    borrowed: Borrowed = field(default_factory=Borrowed)
    made_of: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    assumed: Mapping[str, int] = field(default_factory=dict)

    def called(self, identity: str) -> FunctionEntry | None:
        """A function that others may call, one of another library that is carried among them."""
        return self.functions.get(identity) or self.borrowed.functions.get(identity)

    def origin_of(self, identity: str) -> Origin | None:
        """The release that a function came from."""
        return self.origins.get(identity) or self.borrowed.origins.get(identity)

    def domain_called(self, name: str) -> DomainEntry | None:
        """A domain whose functions others may call."""
        return self.domains.get(name) or self.borrowed.domains.get(name)

    def since_versions(self, domain: str, name: str) -> tuple[int, ...]:
        """Every version of one function, whether or not it is at hand."""
        known = tuple(entry.since_version for entry in self.versions_of(domain, name))
        return known or self.borrowed.versions.get((domain, name), ())

    def emitted(self, domain: str) -> str:
        """The domain under which a library's domain appears in a model: its mirror, where it has one."""
        known = self.domain_called(domain)
        if known is not None:
            return known.mirror
        base, dot, last = domain.rpartition(".")
        known = self.domain_called(base)
        return f"{known.mirror}.{last}" if dot and known is not None else domain

    def version_assumed(self, domain: DomainEntry) -> int:
        """The version of a domain that a model means which imports none: the newest, but for what is `assumed`."""
        return min(domain.version, self.assumed.get(domain.mirror, domain.version))

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
        return _catalogue_of_index(Same(functions), Same(bodies))
    newest: dict[str, int] = {}
    for entry in functions.values():
        newest[entry.domain] = max(entry.since_version, newest.get(entry.domain, 1))
    domains = {name: DomainEntry(name, version, name) for name, version in newest.items()}
    held = [HeldFunctions(tuple(functions.values()))]
    return Catalogue(dict(functions), _Versions(held), bodies, domains, {}, (1, 1))


class Same(Generic[Held]):
    """Equal to another of the very same object only: hashing a bundle or an index would read all of it."""

    __slots__ = ("value",)

    def __init__(self, value: Held) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


@lru_cache(maxsize=2)
def _catalogue_of_index(index: Same[Index], bodies: Same[Mapping[str, bytes]]) -> Catalogue:
    """Kept, for a library is instantiated body by body. The bodies are the caller's own mapping, not a copy."""
    return replace(merge_libraries([Bundle(index.value, {}, "")]), bodies=bodies.value)


def merge_libraries(libraries: Iterable[Bundle]) -> Catalogue:
    """All libraries together.

    Where two define one domain, its version is the greater one. Raises ConflictError (OW563) when two libraries give
    one identity different interfaces or bodies.
    """
    bundles = list(libraries)
    tables = [bundle.index.table for bundle in bundles]
    origins = [Origin(bundle.index.library, bundle.index.version) for bundle in bundles]
    carried = [dependency for bundle in bundles for dependency in bundle.index.dependencies]
    carried_tables = [dependency.table for dependency in carried]
    carried_origins = [Origin(dependency.library, dependency.version) for dependency in carried]
    if len(bundles) > 1:
        conflicts = list(_conflicts([*tables, *carried_tables], [*origins, *carried_origins]))
        if conflicts:
            raise ConflictError(conflicts)
    ranges = [bundle.index.opsets for bundle in bundles]
    return Catalogue(
        _Entries(tables),
        _Versions(tables),
        layered([bundle.bodies for bundle in bundles]),
        _newest_domains(domain for bundle in bundles for domain in bundle.index.domains),
        _Origins(tables, origins),
        (min((first for first, _ in ranges), default=1), max((last for _, last in ranges), default=1)),
        layered([bundle.templates for bundle in bundles]),
        Borrowed(
            _Entries(carried_tables),
            _Origins(carried_tables, carried_origins),
            _carried_versions(carried),
            _newest_domains(domain for dependency in carried for domain in dependency.domains),
        ),
    )


def _newest_domains(domains: Iterable[DomainEntry]) -> dict[str, DomainEntry]:
    """By name; of two of one name the one of the greater version."""
    found: dict[str, DomainEntry] = {}
    for domain in domains:
        known = found.get(domain.name)
        if known is None or known.version < domain.version:
            found[domain.name] = domain
    return found


def _carried_versions(dependencies: Iterable[DependencyEntry]) -> dict[Name, tuple[int, ...]]:
    """Every version that a carried function has in its own library."""
    found: dict[Name, set[int]] = {}
    for function, since in (item for dependency in dependencies for item in dependency.versions):
        domain, _, name = function.rpartition("::")
        found.setdefault((domain, name), set()).update(since)
    return {key: tuple(sorted(since)) for key, since in found.items()}


def _conflicts(tables: Sequence[Functions], origins: Sequence[Origin]) -> Iterator[Conflict]:
    """Identities that two libraries have with different entries; only such entries are read."""
    first: dict[str, int] = {}
    for position, table in enumerate(tables):
        for identity in table.identities():
            owner = first.setdefault(identity, position)
            entry = table.find_identity(identity) if owner != position else None
            other = tables[owner].find_identity(identity) if entry is not None else None
            if entry is not None and other is not None and not same_function(entry, other):
                yield _two_definitions(other, origins[owner], entry, origins[position])


def layered(mappings: Sequence[Mapping[_Key, _Value]]) -> Mapping[_Key, _Value]:
    """Several mappings as one, earlier ones before later ones; nothing is looked at before it is asked for."""
    found = [mapping for mapping in mappings if not isinstance(mapping, dict) or mapping]
    return found[0] if len(found) == 1 else _Layers(found)


class _Layers(Mapping[_Key, _Value]):
    __slots__ = ("_mappings",)

    def __init__(self, mappings: Sequence[Mapping[_Key, _Value]]) -> None:
        self._mappings = mappings

    def __getitem__(self, key: _Key) -> _Value:
        for mapping in self._mappings:
            if key in mapping:
                return mapping[key]
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return any(key in mapping for mapping in self._mappings)

    def __iter__(self) -> Iterator[_Key]:
        return iter(dict.fromkeys(key for mapping in self._mappings for key in mapping))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Entries(Mapping[str, FunctionEntry]):
    """The functions of libraries by identity. Entries are read when they are asked for."""

    __slots__ = ("_tables",)

    def __init__(self, tables: Sequence[Functions]) -> None:
        self._tables = tables

    def __getitem__(self, identity: str) -> FunctionEntry:
        for table in self._tables:
            found = table.find_identity(identity)
            if found is not None:
                return found
        raise KeyError(identity)

    def __contains__(self, identity: object) -> bool:
        return isinstance(identity, str) and any(table.has_identity(identity) for table in self._tables)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(identity for table in self._tables for identity in table.identities()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Versions(Mapping[Name, tuple[FunctionEntry, ...]]):
    """The versions of each function of libraries, oldest first. Entries are read when they are asked for."""

    __slots__ = ("_known", "_tables")

    def __init__(self, tables: Sequence[Functions]) -> None:
        self._tables = tables
        self._known: dict[Name, tuple[FunctionEntry, ...]] = {}  # a model asks for each of its nodes

    def __getitem__(self, key: Name) -> tuple[FunctionEntry, ...]:
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._find(key)
        if not known:
            raise KeyError(key)
        return known

    def _find(self, key: Name) -> tuple[FunctionEntry, ...]:
        found: dict[int, FunctionEntry] = {}
        for table in self._tables:
            for entry in table.versions_of(*key):
                found.setdefault(entry.since_version, entry)
        return tuple(found[since] for since in sorted(found))

    def __iter__(self) -> Iterator[Name]:
        return iter(dict.fromkeys(name for table in self._tables for name in table.names()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Origins(Mapping[str, Origin]):
    """The release that each function came from, by identity."""

    __slots__ = ("_origins", "_tables")

    def __init__(self, tables: Sequence[Functions], origins: Sequence[Origin]) -> None:
        self._tables = tables
        self._origins = origins

    def __getitem__(self, identity: str) -> Origin:
        for table, origin in zip(self._tables, self._origins, strict=True):
            if table.has_identity(identity):
                return origin
        raise KeyError(identity)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(identity for table in self._tables for identity in table.identities()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _two_definitions(left: FunctionEntry, first: Origin, right: FunctionEntry, second: Origin) -> Conflict:
    finding = Diagnostic(
        "OW563",
        f"{left.identity} is defined differently by {first} and by {second}",
        reason="one model can hold one definition of an identity only",
        help="give one of the two libraries",
    )
    one, other = differing_parts(left, right)
    return make_conflict(finding, Requirement(str(first), f"has {one}"), Requirement(str(second), f"has {other}"))
