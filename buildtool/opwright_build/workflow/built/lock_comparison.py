"""A library beside the locks of its domains: promises that it breaks, bodies that are not those released."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from opwright.bundle.function_lookup import split_identity
from opwright.diagnostics.diagnostic import Diagnostic

if TYPE_CHECKING:
    from opwright.bundle.format import FunctionEntry

    from opwright_build.spec.model import LoadedLibrary, Package
    from opwright_build.versions.promise import Promised
    from opwright_build.versions.release_lock import Locks

LOCKED = "/released/"  # what a domain that has a lock has a file in
ReadFile = Callable[[str], bytes | None]  # by the path below the library's root


@dataclass(frozen=True, slots=True)
class Comparison:
    """A package beside its lock: findings, and the versions whose bodies are not those released."""

    findings: tuple[Diagnostic, ...]
    differing: tuple[str, ...]
    last: str = ""
    library: str = ""  # the digest that the library had


def compare_with_lock(
    loaded: LoadedLibrary,
    package: Package,
    entries: Callable[[Package], Mapping[str, FunctionEntry]],
    read: ReadFile,
    names: Sequence[str],
) -> Comparison:
    """What the lock says of a package's compiled versions, which are asked for where there is one. Nothing is run.
    `names` are the files below specs/."""
    from opwright_build.versions.change import Kind
    from opwright_build.versions.promise_changes import compare
    from opwright_build.versions.release_findings import SpecPlaces, broken_promises
    from opwright_build.versions.release_lock import lock_path, lost_locks, read_package_locks

    locks, damaged = read_package_locks(read, package.name, loaded.library.owners, domains_with_locks(names))
    own = {lock_path(domain) for domain in package.domains}
    found = [item for item in damaged if item.place is None or item.place.file in own]
    if not found:
        found = lost_locks((name for name in names if name.partition("/")[0] in package.domains), locks)
    released = locks.promised
    if found or released is None:
        return Comparison(tuple(found), ())
    current = current_promises(loaded, package, entries(package))
    changes = compare(released, current)
    findings = broken_promises(changes, released, current, SpecPlaces(loaded, read, locks.place), locks)
    differing = tuple(change.identity for change in changes if change.kind is Kind.BODY)
    digests = {item.version: item.library for item in locks.releases}
    return Comparison(tuple(findings), differing, locks.release, digests.get(package.version, ""))


def domains_with_locks(names: Iterable[str]) -> list[str]:
    """The folders of specs/ that have a lock, or did. `names` are the files below specs/."""
    return sorted({name.partition("/")[0] for name in names if LOCKED in name})


def ownerless_locks(loaded: LoadedLibrary, read: ReadFile, folders: Iterable[str]) -> list[Diagnostic]:
    """A finding for each of these folders of specs/ that is no domain of any package, and has a lock with functions."""
    from opwright_build.versions.release_findings import ownerless
    from opwright_build.versions.release_lock import lock_path, read_lock

    owned = {domain for package in loaded.library.packages for domain in package.domains}
    found: list[Diagnostic] = []
    for domain in sorted(set(folders) - owned):
        data = read(lock_path(domain))
        if data is not None:
            lock, findings = read_lock(data, domain)
            found += findings
            found += [ownerless(domain, lock)] if lock is not None and lock.promises else []
    return found


def current_promises(loaded: LoadedLibrary, package: Package, entries: Mapping[str, FunctionEntry]) -> Promised:
    """What the package promises as it is now."""
    from opwright_build.versions.promise import Promise, Promised, bare, by_identity

    own = [domain for domain in loaded.domains if domain.name in package.domains]
    return Promised(
        package.name,
        package.package,
        package.version,
        {domain.name: domain.emitted for domain in own},
        {domain.name: domain.version for domain in own},
        by_identity(Promise(bare(entry)) for entry in entries.values() if entry.domain in package.domains),
        elsewhere=loaded.library.domains_beside(package),
    )


def differing_now(
    differing: Collection[str], entries: Iterable[FunctionEntry], read: ReadFile, domains: Iterable[str]
) -> list[str] | None:
    """The versions whose bodies are not those released, where `differing` were it before those of `entries` became
    what they are now. None where one of them breaks a promise, and where none is left: then the library may be what
    was released."""
    from opwright_build.versions.change import Kind
    from opwright_build.versions.promise import Promise, bare
    from opwright_build.versions.promise_changes import compare_versions

    now = {entry.identity: entry for entry in entries}
    locks, findings = read_locks_of(now, read, domains)
    if findings:
        return None
    released = {} if locks.promised is None else locks.promised.promises
    found = dict.fromkeys(identity for identity in differing if identity not in now)
    for identity in now.keys() & released.keys():
        kinds = {change.kind for change in compare_versions(released[identity], Promise(bare(now[identity])))}
        if any(kind.promised for kind in kinds):
            return None
        if Kind.BODY in kinds:
            found[identity] = None
    return sorted(found, key=lambda identity: split_identity(identity) or ()) or None


def read_locks_of(identities: Iterable[str], read: ReadFile, domains: Iterable[str]) -> tuple[Locks, list[Diagnostic]]:
    """What the locks say of these functions, and of those that their released bodies call. No other line of a lock is
    decoded."""
    from opwright_build.versions.release_lock import read_locks

    held, domains = cache(read), tuple(domains)
    names = {key[1] for identity in identities if (key := split_identity(identity)) is not None}
    while True:
        locks, findings = read_locks(held, domains, names)
        promises = () if locks.promised is None else locks.promised.promises.values()
        bodies = (body for promise in promises for body in (*promise.entry.bodies, *promise.superseded))
        called = {call.name for body in bodies for call in body.calls}
        if findings or called <= names:
            return locks, findings
        names |= called
