"""`opwright lock`: what is locked, whether the library keeps it, and new bodies that are accepted for a reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, Place, has_errors

from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted, text_table
from opwright_build.workflow.built.library import BuiltLibrary, build_library, read_packages
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.selection.language import select_identities

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.spec.model import Library, Package
    from opwright_build.versions.numeric import NumericVerdict
    from opwright_build.versions.promise import Promise
    from opwright_build.versions.release_lock import DomainLock, Locks


@dataclass(frozen=True, slots=True)
class Accepting:
    """Which changes of bodies are accepted, how far values may move, and why. `unjudged`: also where nothing tells."""

    names: tuple[str, ...] = ()
    everything: bool = False
    within: str = "tolerance"
    reason: str = ""
    unjudged: bool = False

    @property
    def asked(self) -> bool:
        return bool(self.names) or self.everything


def lock(path: Path, reporter: Reporter, options: Options, accept: Accepting, check: bool, started: float) -> int:
    """Shows the lock of the library around `path`; with `check` fails where it refuses a release."""
    return on_library(
        path,
        reporter,
        replace(options, reads_only=not accept.asked),
        lambda session: _lock(session, accept, check, started),
    )


def _lock(session: Session, accept: Accepting, check: bool, started: float) -> int:
    from opwright_build.versions.committed_locks import lost_promises

    if accept.asked and not accept.reason.strip():
        raise usage_error("a change is accepted for a reason", help='add --reason "..."')
    if accept.reason and not accept.asked:
        raise usage_error("--reason goes with --accept X or --all", help="say what is accepted")
    library = build_library(session)
    if not library.good:
        return finish(session, started, library.diagnostics, "", {"versions": 0, "differing": 0, "accepted": []})
    locks, found = locks_of(session, library)
    if check:
        found += lost_promises(session.root, session.tree.read)
    if not locks.domains and not found:
        if accept.names:
            message = f"nothing has been released, so that no change of {accept.names[0]} is to be accepted"
            raise usage_error(message, help="`opwright release VERSION` makes the first release")
        text = "nothing has been released; `opwright release VERSION` makes the first release"
        return finish(session, started, library.diagnostics, text, _fields(locks, library, ()))
    found += texts_of(session, locks)
    if accept.asked:
        return _accept(session, library, locks, accept, found, started)
    if check:
        found += unaccepted(library)
    gone = _gone(session, library, locks)
    session.reporter.table(_table(locks, library.verdicts, gone))
    versions = counted(sum(len(lock.promises) for lock in locks.domains.values()), "version")
    others = [f"{len(found)} {what}" for found, what in ((library.verdicts, "differ"), (gone, "gone")) if found]
    state = ", ".join(others) or "all as they were released"
    lines = [f"{versions} of release {locks.release} locked, {state}; {{seconds}}", *_moved(session, library)]
    diagnostics = [*library.diagnostics, *found]
    return finish(
        session, started, diagnostics, "" if has_errors(found) else "\n".join(lines), _fields(locks, library, ())
    )


def _fields(locks: Locks, library: BuiltLibrary, accepted: Sequence[str]) -> dict[str, Any]:
    versions = sum(len(lock.promises) for lock in locks.domains.values())
    return {"versions": versions, "differing": len(library.verdicts), "accepted": list(accepted)}


def locks_of(session: Session, library: BuiltLibrary) -> tuple[Locks, list[Diagnostic]]:
    """The locks of the packages that were asked for."""
    from opwright_build.versions.release_lock import read_locks

    domains = [domain.name for bundle in read_packages(session, library) for domain in bundle.index.domains]
    return read_locks(session.tree.read, domains)


def locks_of_package(session: Session, library: Library, package: Package) -> tuple[Locks, list[Diagnostic]]:
    """The locks of a package, and of domains that it had."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_root import SPECS
    from opwright_build.versions.release_lock import read_package_locks

    folders = LibraryFiles(session.root).folders(SPECS)
    return read_package_locks(session.tree.read, package.name, library.owners, folders)


def _moved(session: Session, library: BuiltLibrary) -> list[str]:
    """What there is to tell of domains that are of another package than in the last release."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_file import read_library

    packages = read_library(LibraryFiles(session.root))
    found: dict[str, str] = {}
    for item in library.packages:
        locks, _ = locks_of_package(session, packages, packages.package(item["library"]))
        moved = {domain: locks.library for domain in locks.left if domain in packages.owners}
        moved |= {domain: before for domain, before in locks.elsewhere.items() if domain in locks.domains}
        for domain, before in moved.items():
            now = packages.owners[domain]
            found[domain] = f"the domain {domain} is of the package {now}, and was released in {before}"
    return [found[domain] for domain in sorted(found)]


def texts_of(session: Session, locks: Locks) -> list[Diagnostic]:
    """What is wrong with the texts of released bodies, and with the notes of releases."""
    from opwright_build.versions.release_lock import check_notes, read_text, text_path

    found: list[Diagnostic] = []
    for domain in locks.domains.values():
        for promise in domain.promises.values():
            path = text_path(promise.entry)
            data = session.tree.read(path)
            if data is None:
                message = f"{path} is missing"
                help_ = "take it from version control again"
                found.append(Diagnostic("OW610", message, domain.place(promise.identity), help=help_))
            else:
                found += read_text(data, promise)[1]
        found += check_notes(session.tree.read, domain)
    return found


def promises_of_library(session: Session) -> tuple[dict[str, Promise], list[Diagnostic]]:
    """The promises of all locks of the library by identity, whichever packages were asked for."""
    from opwright_build.spec.confine import LibraryFiles
    from opwright_build.spec.library_root import SPECS
    from opwright_build.versions.release_lock import read_locks

    locks, found = read_locks(session.tree.read, LibraryFiles(session.root).folders(SPECS))
    return {key: promise for domain in locks.domains.values() for key, promise in domain.promises.items()}, found


def text_now(
    session: Session, promise: Promise, bodies: Mapping[str, bytes], templates: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The text of a version that is accepted or released, by its path; bodies that are superseded come from the text
    before."""
    from opwright.link.catalogue import layered

    from opwright_build.versions.release_lock import read_text, text_path, write_text

    path = text_path(promise.entry)
    if promise.superseded:
        bodies = layered([bodies, read_text(session.tree.read(path) or b"", promise)[0]])
    return {path: write_text(promise, bodies, templates)}


def unaccepted(library: BuiltLibrary) -> list[Diagnostic]:
    """The changes of bodies that stand in the way of a release."""
    places = _body_places(library)
    return [_refused(verdict, places.get(identity), "") for identity, verdict in library.verdicts.items()]


def bodies_of(bundles: Iterable[Bundle]) -> set[tuple[str, str]]:
    """The digests of all bodies, each behind its version. Versions may have equal bodies."""
    return {
        (entry.identity, body.body) for bundle in bundles for entry in bundle.index.functions for body in entry.bodies
    }


def callees_first(library: BuiltLibrary, pairs: Iterable[tuple[str, str]]) -> list[Diagnostic]:
    """The findings for callers that cannot be locked before a new body of their callee is."""
    places = _body_places(library)
    found: list[Diagnostic] = []
    for caller, callee in pairs:
        help_ = f'first `opwright lock --accept {callee} --reason "..."`, or accept both in one command'
        if callee not in library.verdicts:
            help_ += "; where it replaces none, release the package of that function first"
        found.append(
            Diagnostic(
                "OW616",
                f"{caller} calls a body of {callee} that is not accepted",
                places.get(caller),
                reason=f"nothing keeps that body: once {callee} is edited again, {caller} could not be compared",
                help=help_,
                subject=caller,
            )
        )
    return found


_BODIES = ("OW613", "OW614", "OW615")


def _body_places(library: BuiltLibrary) -> dict[str, Place | None]:
    return {item.subject: item.place for item in library.diagnostics if item.code in _BODIES}


def _refused(verdict: NumericVerdict, place: Place | None, why: str) -> Diagnostic:
    command = f'opwright lock --accept {verdict.identity} --reason "..."'
    if verdict.unjudged:
        command += " --unjudged"
    otherwise = ", or add vectors that run these bodies" if verdict.unjudged and not verdict.obstacle else ""
    return Diagnostic(
        "OW616",
        f"the new body of {verdict.identity} is not accepted{why}",
        place,
        reason=verdict.explain(),
        help=f"look at what differs, then `{command}`{otherwise}",
        subject=verdict.identity,
    )


def _accept(
    session: Session,
    library: BuiltLibrary,
    locks: Locks,
    accept: Accepting,
    found: list[Diagnostic],
    started: float,
) -> int:
    from opwright_build.versions.superseded import unaccepted_callees, with_superseded

    known = [identity for domain in locks.domains.values() for identity in domain.promises]
    chosen = set(library.verdicts)
    if not accept.everything:
        chosen = {identity for name in accept.names for identity in select_identities(name, known)}
    accepted: list[str] = []
    for identity in sorted(chosen & library.verdicts.keys()):
        verdict = library.verdicts[identity]
        if _is_within(verdict, accept):
            accepted.append(identity)
        else:
            found.append(_refused(verdict, None, f": values have to be within `{accept.within}`"))
    promises, damaged = promises_of_library(session)
    found += [item for item in damaged if item not in found]
    if has_errors(found):
        return finish(session, started, [*library.diagnostics, *found], "", _fields(locks, library, ()))
    bundles = read_packages(session, library)
    verdicts = {identity: library.verdicts[identity] for identity in accepted}
    fresh = _fresh(locks, bundles, verdicts, " ".join(accept.reason.split()), promises)
    now = {**promises, **{identity: promise for identity, (promise, _) in fresh.items()}}
    coming = {pair for pair in bodies_of(bundles) if pair[0] not in library.verdicts}
    refused = unaccepted_callees((now[identity] for identity in fresh), now, promises, coming)
    if refused:
        found += callees_first(library, refused)
        return finish(session, started, [*library.diagnostics, *found], "", _fields(locks, library, ()))
    session.transaction.write(_accepted_files(session, locks, fresh, with_superseded(now, promises, coming)))
    quiet = [item for item in library.diagnostics if item.code not in _BODIES]
    lines = [f"accepted {identity}: {library.verdicts[identity].explain()}" for identity in accepted]
    text = "\n".join(lines or ["nothing to accept: the bodies are those that were released"])
    return finish(session, started, [*quiet, *found], text, _fields(locks, library, accepted))


def _is_within(verdict: NumericVerdict, accept: Accepting) -> bool:
    from opwright_build.versions.numeric import Within

    exact = verdict.ulp == 0 and verdict.absolute == 0 and verdict.within is not Within.TOLERANCE
    if verdict.within is Within.BEYOND or (verdict.within is Within.UNKNOWN and not accept.unjudged):
        return False
    return exact or accept.within == "tolerance"


def _fresh(
    locks: Locks,
    bundles: Sequence[Bundle],
    accepted: Mapping[str, NumericVerdict],
    reason: str,
    promises: Mapping[str, Promise],
) -> dict[str, tuple[Promise, Bundle]]:
    """These versions with their new bodies, each beside the bundle that has those. `promises` are those of all
    locks."""
    from opwright_build.versions.promise import Accepted, bare

    fresh: dict[str, tuple[Promise, Bundle]] = {}
    for bundle in bundles:
        for entry in bundle.index.functions:
            if entry.identity in accepted:
                promise = promises[entry.identity]
                left = tuple(sorted(promise.bodies - {body.body for body in entry.bodies}))
                release = locks.domains[entry.domain].release
                item = Accepted(release, reason, accepted[entry.identity].within.value, left)
                fresh[entry.identity] = (
                    replace(promise, entry=bare(entry), accepted=(*promise.accepted, item)),
                    bundle,
                )
    return fresh


def _accepted_files(
    session: Session, locks: Locks, fresh: Mapping[str, tuple[Promise, Bundle]], now: Mapping[str, Promise]
) -> dict[str, bytes]:
    """The locks with the new bodies of these versions, and the texts of those. `now` are the promises of all locks as
    they become."""
    from opwright_build.versions.release_lock import write_lock

    files: dict[str, bytes] = {}
    changed: dict[str, DomainLock] = {}
    for identity, (promise, bundle) in fresh.items():
        domain = promise.entry.domain
        lock = changed.get(domain, locks.domains[domain])
        changed[domain] = replace(lock, promises={**lock.promises, identity: now[identity]})
        files |= text_now(session, now[identity], bundle.bodies, bundle.templates)
    return files | {lock.path: write_lock(lock) for lock in changed.values()}


def _gone(session: Session, library: BuiltLibrary, locks: Locks) -> set[str]:
    """The versions that the library has no more."""
    kept = {entry.identity for bundle in read_packages(session, library) for entry in bundle.index.functions}
    return {identity for domain in locks.domains.values() for identity in domain.promises if identity not in kept}


def _table(locks: Locks, verdicts: Mapping[str, NumericVerdict], gone: Collection[str]) -> str:
    rows = []
    for domain in locks.domains.values():
        for identity, promise in domain.promises.items():
            opsets = promise.opsets
            state = "as released"
            if identity in gone:
                state = "gone"
            elif identity in verdicts:
                state = f"differs: {verdicts[identity].explain()}"
            elif promise.accepted:
                state = f"accepted after {promise.accepted[-1].release}: {promise.accepted[-1].reason}"
            rows.append([identity, promise.release, f"{min(opsets)}-{max(opsets)}" if opsets else "", state])
    return text_table(["function", "since release", "opsets", "state"], rows)
