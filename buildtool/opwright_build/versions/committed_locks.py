"""The locks of the last commit: what a release was given by them, the locks in the folder still say.

A lock guards what was released, and nothing in the folder guards the lock: it may be deleted, and with the right sums
it may be written anew. So what makes a release looks at the last commit, where there is one, and only adds to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.engine.git_revision import GitRevisionError, contents_of, entries_at
from opwright_build.versions.promise_changes import compare_versions
from opwright_build.versions.release_lock import (
    FILE,
    FOLDER,
    MOST_LOCK_BYTES,
    DomainLock,
    Release,
    lock_path,
    read_lock,
)

_LOCK = re.compile(rf"specs/([^/]+)/{FOLDER}/{re.escape(FILE)}")


def lost_promises(root: Path, read: Callable[[str], bytes | None]) -> list[Diagnostic]:
    """What the locks of the last commit promise, and those that `read` gives do not. Nothing where git does not answer:
    a library need not lie in a repository. Locks that are damaged are told elsewhere."""
    found: list[Diagnostic] = []
    for committed in _committed(root):
        data = read(committed.path)
        if data is None:
            found.append(_lost(committed.path, f"the lock of {committed.domain} is gone", Place(committed.path)))
            continue
        current, _ = read_lock(data, committed.domain)
        if current is not None:
            found += _forgotten(committed, current)
    return found


def _committed(root: Path) -> Iterator[DomainLock]:
    try:
        entries = [
            (entry, match[1])
            for entry in entries_at(root, "HEAD", "specs/")
            if entry.is_file and entry.size <= MOST_LOCK_BYTES and (match := _LOCK.fullmatch(entry.path))
        ]
        contents = list(contents_of(root, [entry.blob for entry, _ in entries])) if entries else []
    except GitRevisionError:
        return
    for (_, domain), data in zip(entries, contents, strict=True):
        lock, _ = read_lock(data, domain)
        if lock is not None:
            yield lock


def _forgotten(committed: DomainLock, current: DomainLock) -> Iterator[Diagnostic]:
    path = lock_path(committed.domain)
    kept = set(_releases(current))
    for item in _releases(committed):
        if item not in kept:
            yield _lost(path, f"the lock of {committed.domain} has forgotten the release {item.version}", Place(path))
    fresh = {item.version for item in kept.difference(_releases(committed))}  # another package's may have the number
    for notes in committed.notes:
        if notes not in current.notes and notes.version not in fresh:
            message = f"the lock of {committed.domain} says something else of the notes of {notes.version}"
            yield _lost(path, message, Place(path, 1, 1, 1, 2))
    if current.version < committed.version:
        message = f"the lock has version {current.version} of {committed.domain}, and had {committed.version}"
        yield _lost(path, message, Place(path, 1, 1, 1, 2))
    for identity in committed.gone:
        if identity not in current.gone:
            message = f"the lock of {committed.domain} has forgotten that {identity} was released and left out"
            yield _lost(path, message, Place(path))
    for identity, promise in committed.promises.items():
        now = current.promises.get(identity)
        if now is None:
            if not promise.entry.deprecated or identity not in current.gone:  # a major release leaves it out
                yield _lost(path, f"the lock of {committed.domain} has forgotten {identity}", Place(path))
            continue
        for change in compare_versions(promise, now):
            if change.kind.promised:
                message = f"the lock says something else of {identity}: {change.explain()}"
                yield _lost(path, message, current.place(identity))


def _releases(lock: DomainLock) -> Iterator[Release]:
    """Of whichever libraries had the domain."""
    yield from lock.releases
    yield from (item for formerly in lock.formerly for item in formerly.releases)


def _lost(path: str, message: str, place: Place) -> Diagnostic:
    return Diagnostic(
        "OW623",
        message,
        place,
        reason="the last commit has it; a release only adds to what was released",
        help=f"take it from version control again: `git checkout HEAD -- {path.rpartition('/')[0]}`",
    )
