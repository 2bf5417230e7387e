"""What a package's bundle carries of other libraries: the functions that its own call, and those that these call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from opwright.bundle.format import Bundle, DependencyEntry, DomainEntry, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.content_digest import Json

Entries = Callable[[str], FunctionEntry | None]
Versions = Callable[[str, str], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Lender:
    """A library whose functions may be called. `find` gives an entry by identity, `versions` every since_version of a
    function by domain and name; `bodies` are by digest, `needs` the libraries that it depends on itself."""

    library: str
    version: str
    package: str
    sha256: str
    domains: tuple[DomainEntry, ...]
    find: Entries
    versions: Versions
    bodies: Mapping[str, bytes]
    needs: tuple[str, ...] = ()


@dataclass(slots=True)
class Closure:
    """What is carried: for each library its part, and the bodies by digest."""

    dependencies: tuple[DependencyEntry, ...] = ()
    bodies: dict[str, bytes] = field(default_factory=dict)


def lenders_of(bundle: Bundle, sha256: str) -> list[Lender]:
    """A library as a lender, and those that it carries."""
    index = bundle.index
    inner = {name for item in index.dependencies for name in item.needs}
    needs = tuple(item.library for item in index.dependencies if item.library not in inner)
    own = Lender(
        index.library,
        index.version,
        index.package,
        sha256,
        index.domains,
        index.table.find_identity,
        index.table.versions,
        bundle.bodies,
        needs,
    )
    return [own, *(_carried_lender(item, bundle.bodies) for item in index.dependencies)]


def _carried_lender(item: DependencyEntry, bodies: Mapping[str, bytes]) -> Lender:
    versions = dict(item.versions)
    return Lender(
        item.library,
        item.version,
        item.package,
        item.sha256,
        item.domains,
        item.table.find_identity,
        lambda domain, name: versions.get(f"{domain}::{name}", ()),
        bodies,
        item.needs,
    )


def collect_closure(own: Iterable[FunctionEntry], templates: Iterable[bytes], lenders: Sequence[Lender]) -> Closure:
    """What the functions of a package call in other libraries, all the way down.

    Of what `templates`, their texts, may call every body is carried: which of them one needs shows when it is made.
    Every lender is listed, also one of which nothing is called. DiagnosticError (OW637) where a body is missing that
    is called.
    """
    entries = {entry.identity: entry for entry in own}
    pending = [call for entry in entries.values() for body in entry.bodies for call in body.calls]
    wanted = [(f"{call.domain}::{call.name}@{call.since_version}", call.body) for call in pending]
    owners = {domain.name: lender for lender in reversed(lenders) for domain in lender.domains}
    for text in templates:
        wanted += ((entry.identity, body.body) for entry in _callable(text, lenders) for body in entry.bodies)
    taken: dict[str, FunctionEntry] = {}
    bodies: dict[str, bytes] = {}
    while wanted:
        identity, digest = wanted.pop()
        if identity in entries or (digest in bodies and identity in taken):
            continue
        lender = owners.get(identity.partition("::")[0])
        entry = None if lender is None else lender.find(identity)
        body = next((item for item in entry.bodies if item.body == digest), None) if entry is not None else None
        if lender is None or entry is None or body is None or digest not in lender.bodies:
            raise DiagnosticError([_incomplete(identity, digest, lender)])
        taken[identity] = entry
        bodies[digest] = lender.bodies[digest]
        wanted += ((f"{call.domain}::{call.name}@{call.since_version}", call.body) for call in body.calls)
    listed = sorted((_part(lender, owners, taken) for lender in lenders), key=lambda item: item.library)
    return Closure(tuple(listed), dict(sorted(bodies.items())))


def _incomplete(identity: str, digest: str, lender: Lender | None) -> Diagnostic:
    where = "no library that is depended on" if lender is None else f"{lender.library} {lender.version}, as it is here,"
    return Diagnostic(
        "OW637",
        f"a body of {identity} is called that is not there",
        reason=f"{where} has {digest[:22]}...",
        help="get the library again from where it came, or one that is built again",
    )


def _callable(template: bytes, lenders: Sequence[Lender]) -> Iterator[FunctionEntry]:
    """The functions that a template can call: those whose names stand in its text, of the domains that it imports."""
    texts, imports = texts_of(template)
    for lender in lenders:
        for domain in lender.domains:
            for name, version in sorted(imports):
                if name in (domain.name, domain.mirror):
                    yield from _named(lender, domain.name, sorted(texts), version)


def texts_of(template: bytes) -> tuple[set[str], set[tuple[str, int]]]:
    """All texts in that of a template, among them the names of what it can call, and the versions of domains that it
    imports."""
    texts: set[str] = set()
    imports: set[tuple[str, int]] = set()
    pending: list[Json] = [json.loads(template)]
    while pending:
        match pending.pop():
            case str() as text:
                texts.add(text)
            case dict() as mapping:
                pending += mapping.values()
            case list() as items:
                if items[:1] in (["opset"], ["operator"]) and len(items) > 2 and isinstance(items[2], int):
                    imports.add((str(items[1]), items[2]))
                pending += items
    return texts, imports


def _named(lender: Lender, domain: str, names: Iterable[str], version: int) -> Iterator[FunctionEntry]:
    for name in names:
        since = [item for item in lender.versions(domain, name) if item <= version]
        entry = lender.find(f"{domain}::{name}@{max(since)}") if since else None
        if entry is not None:
            yield entry


def _part(lender: Lender, owners: Mapping[str, Lender], taken: Mapping[str, FunctionEntry]) -> DependencyEntry:
    mine = [entry for identity, entry in sorted(taken.items()) if owners[identity.partition("::")[0]] is lender]
    mine.sort(key=lambda entry: (entry.domain, entry.name, entry.since_version))
    names = dict.fromkeys((entry.domain, entry.name) for entry in mine)
    return DependencyEntry(
        lender.library,
        lender.version,
        lender.package,
        lender.sha256,
        lender.domains,
        tuple(mine),
        tuple((f"{domain}::{name}", lender.versions(domain, name)) for domain, name in names),
        tuple(sorted(lender.needs)),
    )
