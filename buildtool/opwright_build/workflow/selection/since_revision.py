"""What has changed below a folder since a revision of git."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.engine.git_revision import GitRevisionError, entries_at
from opwright_build.engine.tree import read_regular
from opwright_build.workflow.opened.status import UsageError

_MOST_BYTES = 1 << 28
_SHA256 = 64  # digits of a blob's name in a repository of SHA-256


def changed_since(root: Path, revision: str, folder: str, present: Iterable[str]) -> set[str]:
    """The files below `folder` that differ from the revision's, are new or are gone; relative to `root`.

    `present` are the files that are there now. Lines that end as on Windows count as equal. UsageError (OW533) where
    git cannot tell.
    """
    try:
        entries = entries_at(root, revision, f"{folder}/")
        for entry in entries:
            if entry.is_submodule:
                raise entry.refused_submodule()
    except GitRevisionError as error:
        message = f"what has changed since {revision} is not known"
        raise UsageError([Diagnostic("OW533", message, reason=str(error), help=error.help)]) from error
    before = {entry.path: entry.blob for entry in entries if entry.is_file}
    now = set(present)
    changed = now ^ before.keys()
    return changed | {path for path in now & before.keys() if not _is_blob(root / path, before[path])}


def _is_blob(path: Path, name: str) -> bool:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return False
        data = read_regular(path)
    except OSError:
        return False
    return name in (_blob(data, name), _blob(data.replace(b"\r\n", b"\n"), name))


def _blob(data: bytes, like: str) -> str:
    kind = "sha256" if len(like) == _SHA256 else "sha1"
    return hashlib.new(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
