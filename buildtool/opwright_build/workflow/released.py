"""Every build compares what it makes with what was released: the lock at once, bodies by running both."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from opwright.bundle.function_lookup import split_identity
from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.engine.action import Action, Read
from opwright_build.engine.content_digest import digest_bytes, digest_fields
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.report.tables import counted

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle, FunctionEntry

    from opwright_build.spec.model import LoadedLibrary, Package
    from opwright_build.verify.case_model import CollectedVersion
    from opwright_build.versions.numeric import NumericVerdict
    from opwright_build.versions.promise import Promised
    from opwright_build.versions.release_lock import Locks
    from opwright_build.workflow.session import Session

KIND = "compare"
VERDICT = "numeric.json"  # the output
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
        called = {call.name for promise in promises for body in promise.entry.bodies for call in body.calls}
        if findings or called <= names:
            return locks, findings
        names |= called


@dataclass(frozen=True, slots=True)
class Judged:
    """What bodies compute that are not those released."""

    verdicts: Mapping[str, NumericVerdict]
    findings: tuple[Diagnostic, ...]


def judge_differing(
    session: Session, loaded: LoadedLibrary, bundle: Bundle, differing: Sequence[str], read: ReadFile
) -> Judged:
    """Runs released bodies and those of now on all vectors, as far as that is not known already. `loaded` has all
    versions of those functions; no other is looked at, but for what they call."""
    from opwright_build.versions.bundles import bundle_of
    from opwright_build.versions.promise import promised_by
    from opwright_build.versions.release_findings import SpecPlaces, of_bodies
    from opwright_build.versions.release_lock import read_text, text_path

    locks, _ = read_locks_of(differing, read, [domain.name for domain in loaded.domains])
    released = locks.promised
    if released is None:
        return Judged({}, ())
    found: list[Diagnostic] = []

    def bodies_of(entry: FunctionEntry) -> Mapping[str, bytes]:
        data = read(text_path(entry))
        if data is None:
            found.append(_no_text(text_path(entry), locks, entry.identity))
            return {}
        bodies, findings = read_text(data, entry)
        found.extend(findings)
        return bodies

    before = bundle_of(released, differing, bodies_of, bundle)
    functions = {(version.domain.name, version.name): None for version in loaded.versions}
    of_functions = [entry for function in functions for entry in bundle.index.table.versions_of(*function)]
    current = promised_by(replace(bundle.index, functions=of_functions))
    verdicts = judge_pairs(session, loaded, (released, before), (current, bundle), differing)
    findings = of_bodies(verdicts, released, current, SpecPlaces(loaded, read, locks.place))
    return Judged(verdicts, (*found, *findings))


def judge_pairs(
    session: Session,
    loaded: LoadedLibrary,
    old: tuple[Promised, Bundle],
    new: tuple[Promised, Bundle],
    identities: Iterable[str],
) -> dict[str, NumericVerdict]:
    """What the bodies of these versions compute in both states; `loaded` has the vectors, and is the state `new`."""
    from opwright_build.verify.cases.collect import collect_cases, declared_anywhere
    from opwright_build.verify.run.runtimes import available
    from opwright_build.verify.run.version_verdict import entry_digest, machine_digest, spec_digest
    from opwright_build.versions.bundles import at_hand
    from opwright_build.versions.numeric import Compared, judge_versions_numerically

    wanted = [identity for identity in identities if identity in new[0].promises]
    runtimes = available()
    environment = digest_fields([session.environment, machine_digest(runtimes)])
    declared = declared_anywhere(loaded.versions)
    versions = {version.identity: version for version in loaded.versions}
    actions: dict[str, Action] = {}
    verdicts: dict[str, NumericVerdict] = {}
    for identity in wanted:
        version, entry = versions[identity], new[0].promises[identity].entry
        before = old[0].promises[identity].entry
        params: dict[str, Any] = {
            "old": digest_bytes(encode_value(before)),
            "at hand": at_hand(old[1], before),
            "new": entry_digest(new[1].index, entry),
            "spec": spec_digest(version, declared[version.domain.name, version.name], loaded.library.root),
        }
        actions[identity] = Action(KIND, f"compare {identity}", {}, params, environment)
        data = session.engine.look_up(actions[identity], VERDICT)
        if data is not None:
            verdicts[identity] = _decode(data)
    missing = [identity for identity in wanted if identity not in verdicts]
    if missing:
        session.reporter.step(f"running the bodies of {counted(len(missing), 'version')} beside those before")
        table = new[1].index.table
        looked_up = ((identity, table.find_identity(identity)) for identity in missing)
        interfaces = {identity: interface for identity, interface in looked_up if interface is not None}
        collected = collect_cases(loaded.versions, interfaces, loaded.library.root, run_oracle=False, only=set(missing))
        of_versions = {item.identity: item for item in collected.versions}
        subjects = [
            Compared(
                old[0].promises[identity],
                new[0].promises[identity],
                old[1],
                new[1],
                of_versions[identity].cases,
            )
            for identity in missing
        ]
        for identity, verdict in judge_versions_numerically(subjects, runtimes=runtimes, workers=session.jobs).items():
            verdicts[identity] = verdict
            data = json.dumps({**asdict(verdict), "within": verdict.within.value}, sort_keys=True).encode()
            session.engine.keep(actions[identity], VERDICT, data, _reads(of_versions[identity]))
    return {identity: verdicts[identity] for identity in wanted}


def _decode(data: bytes) -> NumericVerdict:
    from opwright_build.versions.numeric import NumericVerdict, Within

    value = json.loads(data)
    return NumericVerdict(**{**value, "within": Within(value["within"]), "unjudged": tuple(value["unjudged"])})


def _reads(version: CollectedVersion) -> list[Read]:
    """The files that the vectors came from: digests of those very bytes."""
    files = version.files.items()
    return [Read(f"file:{path}", None if data is None else digest_bytes(data)) for path, data in files]


def _no_text(path: str, locks: Locks, identity: str) -> Diagnostic:
    return Diagnostic(
        "OW610",
        f"{path} is missing",
        locks.place(identity),
        reason="it holds the bodies that were released, which those of now are compared with",
        help="take it from version control again",
    )
