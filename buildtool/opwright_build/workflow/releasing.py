"""`opwright release`: what the lock and semantic versioning allow becomes a release: lock, notes and artefacts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity, has_errors
from opwright.diagnostics.exits import Exit

from opwright_build.report.reporter import Reporter
from opwright_build.spec.library_root import LIBRARY_FILE
from opwright_build.workflow.build import publish
from opwright_build.workflow.built.library import BuiltLibrary, build_library, read_packages
from opwright_build.workflow.locking import (
    bodies_of,
    callees_first,
    locks_of_package,
    promises_of_library,
    text_now,
    texts_of,
    unaccepted,
)
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import usage_error
from opwright_build.workflow.opened.task import finish, on_library

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.spec.model import LoadedLibrary, Package
    from opwright_build.versions.change import Change
    from opwright_build.versions.promise import Promise
    from opwright_build.versions.release_findings import SpecPlaces
    from opwright_build.versions.release_lock import DomainLock, Locks


_NAMED = 6  # of the artefacts that are missing


@dataclass(frozen=True, slots=True)
class _Ready:
    """A package that may be released: the files to write, its notes, and whether it is released as it is already.
    `changed` are the versions that it promises anew."""

    files: Mapping[str, bytes | None]
    notes: str
    name: str
    last: str
    again: bool
    changed: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Releasing:
    """What is asked for: the number; to write nothing; to run no vectors; the level of the sandbox without which no
    Python of a spec is to be run."""

    version: str
    dry_run: bool = False
    unverified: bool = False
    sandbox: int = 0


def release(path: Path, reporter: Reporter, options: Options, wanted: Releasing, started: float) -> int:
    """Releases the packages asked for of the library around `path`, under that version."""
    done: list[_Written] = []
    status = on_library(path, reporter, options, lambda session: _release(session, wanted, started, done.append))
    if not done:
        return status
    # What lies in the folder now is the release: the next build, with all files read again, writes its artefacts.
    written = done[0]
    return on_library(
        path, reporter, options, lambda session: _publish(session, written, started), lambda: [_stands(written)]
    )


@dataclass(slots=True)
class _Written:
    """A release that was written but for its artefacts, of which `missing` are those that are known not to be there;
    None where they are not known yet."""

    version: str
    lines: tuple[str, ...]
    fields: Mapping[str, Any]
    missing: Sequence[str] | None = None


def _publish(session: Session, written: _Written, started: float) -> int:
    library = build_library(session)
    lines, found = list(written.lines), list(library.diagnostics)
    if library.good:
        written.missing = session.publisher.differing(library.files)
        lines += [f"wrote {path}" for path in publish(session, library).written]
        lines.append(f"released {written.version}; {{seconds}}")
        written.missing = ()
    else:
        found.append(_stands(written))
    return finish(session, started, found, "\n".join(lines), written.fields)


def _stands(written: _Written) -> Diagnostic:
    """What is done, and what is not, where the artefacts of a release could not be written."""
    if written.missing is None:
        missing = "its artefacts in dist/ and library/ are missing"
    elif not written.missing:
        missing = "its artefacts are written, too"
    else:
        more = f" and {len(written.missing) - _NAMED} more" if len(written.missing) > _NAMED else ""
        missing = f"missing or of an earlier build are {', '.join(written.missing[:_NAMED])}{more}"
    again = f"`opwright release {written.version}` again writes what is missing, once what stands in its way is gone"
    return Diagnostic(
        "OW627",
        f"the release {written.version} is made: its locks, notes and library.yaml are written",
        reason=missing,
        help=again if written.missing != () else "",
        severity=Severity.NOTE,
    )


def _release(session: Session, wanted: Releasing, started: float, done: Callable[[_Written], None]) -> int:
    from opwright.bundle.join import join_bundles

    from opwright_build.spec.load import load_library
    from opwright_build.versions.committed_locks import lost_promises
    from opwright_build.versions.semantic import parse_release
    from opwright_build.workflow.judged.release_verdicts import failing

    version, dry_run = wanted.version, wanted.dry_run
    if parse_release(version) is None:
        message = f"`{version[:40]}` is no number of a release"
        raise usage_error(message, help="write three numbers, for example 1.2.0")
    library = build_library(session, version)
    fields: dict[str, Any] = {"version": version, "dry_run": dry_run, "packages": []}
    if not library.good:
        return finish(session, started, library.diagnostics, "", fields)
    loaded = load_library(session.root, only=[package["library"] for package in library.packages])
    found: list[Diagnostic] = [*lost_promises(session.root, session.tree.read), *unaccepted(library)]
    ready: list[_Ready] = []
    bundles = read_packages(session, library)
    coming = bodies_of(bundles)
    for bundle in bundles:
        package = loaded.library.package(bundle.index.library)
        item = _prepare(session, loaded, library, package, bundle, version, coming, found)
        ready += [] if item is None else [item]
    new = [item for item in ready if not item.again]
    versioned = _with_version(session, loaded, [item.name for item in new], version, found)
    found = [*_but_those_refused(library, found), *found]
    if not wanted.unverified and not has_errors(found):
        changed = [identity for item in new for identity in item.changed]
        found += failing(session, loaded, join_bundles(bundles), changed, wanted.sandbox)
    if has_errors(found):
        return finish(session, started, found, "", fields)
    fields["packages"] = [{"library": item.name, "last": item.last, "notes": item.notes} for item in ready]
    lines = [item.notes for item in new]
    lines += [f"{item.name} {version} was released with these contents already" for item in ready if item.again]
    files = {path: data for item in new for path, data in item.files.items()} | versioned
    if dry_run:
        lines += [f"would {'remove' if data is None else 'write'} {path}" for path, data in files.items()]
        return finish(session, started, found, "\n".join([*lines, "nothing was written"]), fields)
    if files:
        session.transaction.write(files)
    lines += [f"{'removed' if data is None else 'wrote'} {path}" for path, data in files.items()]
    done(_Written(version, tuple(lines), fields))
    return Exit.GOOD


def _but_those_refused(library: BuiltLibrary, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings of the build, less those that are told as what stands in the way of the release."""
    refused = {item.subject for item in found if item.code == "OW616"}
    return [item for item in library.diagnostics if not item.subject or item.subject not in refused]


def _prepare(
    session: Session,
    loaded: LoadedLibrary,
    library: BuiltLibrary,
    package: Package,
    bundle: Bundle,
    version: str,
    coming: Collection[tuple[str, str]],
    found: list[Diagnostic],
) -> _Ready | None:
    """What a release of the package writes; None with the reasons in `found`. `coming` are the digests of all bodies
    that are released in this step, each behind its version."""
    from opwright_build.versions.change import Change, Kind
    from opwright_build.versions.notes import release_notes
    from opwright_build.versions.numeric import with_values
    from opwright_build.versions.promise import promised_by
    from opwright_build.versions.promise_changes import compare
    from opwright_build.versions.release_findings import SpecPlaces
    from opwright_build.versions.release_lock import notes_path
    from opwright_build.versions.superseded import unaccepted_callees, with_superseded
    from opwright_build.workflow.judged.release_verdicts import changed_since

    locks, damaged = locks_of_package(session, loaded.library, package)
    promises, elsewhere = promises_of_library(session)
    damaged += [item for item in (*elsewhere, *texts_of(session, locks)) if item not in damaged]
    found += damaged
    if damaged:
        return None
    released, current = locks.promised, promised_by(bundle.index, elsewhere=loaded.library.domains_beside(package))
    places = SpecPlaces(loaded, session.tree.read, locks.place)
    changes = [Change(entry.identity, Kind.FUNCTION_ADDED) for entry in bundle.index.functions]
    if released is not None:
        changes = with_values(compare(released, current), library.verdicts)
        refusal = _number_refused(locks, version, bundle.digest, package)
        if refusal is not None:
            found.append(refusal)
            return None
        if any(item.version == version for item in locks.releases):
            return _Ready({}, "", package.name, locks.release, True)
        found += _steps_refused(changes, locks.release, version, places)
    accepted = [
        (promise.identity, item)
        for domain in locks.domains.values()
        for promise in domain.promises.values()
        for item in promise.accepted
        if item.release == domain.release
    ]
    notes = release_notes(package.name, version, locks.release, changes, accepted)
    now = _locked(locks, bundle, version, promises)
    own = [now[entry.identity] for entry in bundle.index.functions]
    refused = unaccepted_callees(own, now, promises, coming)
    if refused:
        found += callees_first(library, refused)
        return None
    kept = with_superseded(now, promises, coming)
    files = _files(locks, package, bundle, version, session, notes.encode(), [kept[item.identity] for item in own])
    files[notes_path(package.domains, version)] = notes.encode()
    files[f"dist/{package.name}-{version}.md"] = notes.encode()
    return _Ready(files, notes, package.name, locks.release, False, changed_since(locks, bundle))


def _number_refused(locks: Locks, version: str, digest: str, package: Package) -> Diagnostic | None:
    """Why the number cannot be used: it was used for something else, or it is not a later one."""
    from opwright_build.versions.release_lock import release_key

    place = package.places.get("version")
    for item in locks.releases:
        if item.version == version:
            if item.library == digest:
                return None
            return Diagnostic(
                "OW618",
                f"{package.name} {version} was released with other contents",
                place,
                reason=f"it had the digest {item.library[:12]}, and has {digest[:12]} now",
                help="a release never changes: choose a later number",
            )
    if release_key(version) < release_key(locks.release):
        return Diagnostic(
            "OW618",
            f"{version} is not later than {locks.release}, the last release of {package.name}",
            place,
            help="choose a later number",
        )
    return None


def _steps_refused(changes: Sequence[Change], last: str, version: str, places: SpecPlaces) -> list[Diagnostic]:
    """The changes that semantic versioning does not allow in this release."""
    from opwright_build.versions.semantic import needed, parse_release, smallest, step_between

    before, now = parse_release(last), parse_release(version)
    if before is None or now is None:
        return []
    step = step_between(before, now)
    return [
        Diagnostic(
            "OW617",
            f"{change.identity or 'the library'} needs a {needed(change, before).noun} release, and {version} is none",
            places.of(change),
            reason=f"since {last}, {change.explain()} ({change.level.value})",
            help=f"release {smallest(changes, before)}",
        )
        for change in changes
        if step is not None and needed(change, before) > step
    ]


def _files(
    locks: Locks,
    package: Package,
    bundle: Bundle,
    version: str,
    session: Session,
    notes: bytes,
    released: Sequence[Promise],
) -> dict[str, bytes | None]:
    """The locks and the texts of all versions of the package, which are `released`."""
    from opwright_build.versions.promise import Terms, by_identity
    from opwright_build.versions.release_lock import DomainLock, Release, text_path, with_notes, write_lock

    files: dict[str, bytes | None] = {}
    locked: dict[str, bytes | None] = {}
    for domain in bundle.index.domains:
        before = locks.domains.get(domain.name)
        known = before.promises if before is not None else {}
        promises = [promise for promise in released if promise.entry.domain == domain.name]
        for promise in promises:
            files |= text_now(session, promise, bundle.bodies, bundle.templates)
        for promise in known.values():
            files.setdefault(text_path(promise.entry), None)
        told = () if before is None else before.notes
        lock = DomainLock(
            domain.name,
            package.name,
            package.package,
            domain.mirror,
            domain.version,
            (*locks.releases, Release(version, bundle.digest)),
            by_identity(promises),
            gone=_gone(before, promises),
            formerly=() if before is None else before.formerly_but(locks.library),
            terms=Terms(bundle.index.license, bundle.index.requires),
            notes=with_notes(told, version, notes) if domain.name == min(package.domains) else told,
        )
        locked[lock.path] = write_lock(lock)
    return {path: data for path, data in {**files, **locked}.items() if session.tree.read(path) != data}


def _locked(locks: Locks, bundle: Bundle, version: str, locked_now: Mapping[str, Promise]) -> dict[str, Promise]:
    """The promises of all locks, with what the release promises of each version of the package. `locked_now` are those
    of all locks as they are."""
    from opwright_build.versions.promise import Promise, bare

    known = {identity: promise for lock in locks.domains.values() for identity, promise in lock.promises.items()}
    now = {identity: promise for identity, promise in locked_now.items() if identity not in known}
    for entry in map(bare, bundle.index.functions):
        old = known.get(entry.identity)
        now[entry.identity] = Promise(entry, version) if old is None else replace(old, entry=entry)
    return now


def _gone(before: DomainLock | None, promises: Sequence[Promise]) -> tuple[str, ...]:
    """The identities that earlier releases of the domain had, and this one has not."""
    if before is None:
        return ()
    kept = {promise.identity for promise in promises}
    return tuple(sorted({*before.gone, *before.promises} - kept))


def _with_version(
    session: Session, loaded: LoadedLibrary, names: Sequence[str], version: str, found: list[Diagnostic]
) -> dict[str, bytes | None]:
    """library.yaml with the new version of these packages; nothing where it has it."""
    data = session.tree.read(LIBRARY_FILE) or b""
    lines = data.decode("utf-8").split("\n")
    packages = loaded.library.packages
    places: dict[Place, str] = {}
    for package in packages:
        place = package.places["version"]
        if package.name in names and package.version != version:
            others = [item.name for item in packages if item.places["version"] == place and item.name not in names]
            if others:
                message = f"{package.name} and {others[0]} share one `version:`, and only one of them is released"
                help_ = "write a version in each package, or release them together"
                found.append(Diagnostic("OW618", message, place, help=help_))
            places[place] = package.version
    for place, old in places.items():
        head, rest = lines[place.line - 1][: place.column - 1], lines[place.line - 1][place.column - 1 :]
        match = re.match(rf"""(["']?version["']?\s*:\s*(["']?)){re.escape(old)}(?=\2)""", rest)
        if match is None:
            message = f"the version in {LIBRARY_FILE} cannot be changed to {version}"
            found.append(Diagnostic("OW618", message, place, help=f"write `version: {version}` there"))
            continue
        lines[place.line - 1] = f"{head}{match[1]}{version}{rest[match.end() :]}"
    return {LIBRARY_FILE: "\n".join(lines).encode()} if places else {}
