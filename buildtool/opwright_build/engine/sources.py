"""What actions may read by name: files below one folder, and which files there are.

`file:specs/library.yaml` is the bytes of a file; `code:specs/a.py` is that too, for readers that heed no comments.
`list:specs` is the sorted names of all files below a folder, one a line; behind a tab stands what a name is
that is no plain file's.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place

from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.hints import FileHints, FolderHint, stamp_of
from opwright_build.engine.system_errors import reason_of
from opwright_build.engine.tree import Tree

REFUSED = "refused"
FILE, CODE, LIST = "file", "code", "list"  # kinds of sources


class Sources(Protocol):
    """Named inputs. A name that stands for nothing gives None; that, too, is something to depend on.

    What is there and must not be read has REFUSED as its digest, and reading it raises DiagnosticError.
    """

    def digest(self, name: str) -> str | None: ...

    def read(self, name: str) -> bytes | None: ...


class FolderSources:
    """The files below `root`, seen once: within one build a name keeps the digest it had first."""

    def __init__(self, root: Path, hints: FileHints) -> None:
        self._root = os.fspath(root)
        self._tree = Tree(root)
        self._hints = hints
        self._digests: dict[str, str | None] = {}
        self._bytes: dict[str, bytes | None] = {}

    def digest(self, name: str) -> str | None:
        """The digest of what `read` gives, without reading where a hint says it."""
        if name in self._digests:
            return self._digests[name]
        name = as_file(name)
        if name not in self._digests:
            kind, shown = _split(name)
            status = self._tree.plain_file(shown) if kind == FILE else None
            known = None if status is None else self._hints.known(self._full(shown), status)
            if known is not None:
                self._digests[name] = known
                return known
            if self._tree.refuse_source(shown) is not None:
                self._digests[name] = REFUSED
            elif kind == LIST:
                known = self._hints.known_listing(self._full(shown), _names_in)
                if known is None:
                    data = self.read(name)
                    known = None if data is None else digest_bytes(data)
                else:
                    self._tree.note_inside(self._hints.listed_folders(self._full(shown)))
                self._digests[name] = known
            else:
                try:
                    self._digests[name] = self._hints.digest(self._full(shown))
                except OSError:
                    self._digests[name] = REFUSED
        return self._digests[name]

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or a folder's listing, one name a line. None when there is none.

        DiagnosticError for a link that leads out of the root, for what is no regular file, and for what cannot be read.
        """
        name = as_file(name)
        if name not in self._bytes:
            kind, shown = _split(name)
            path = self._full(shown)
            refusal = self._tree.refuse_source(shown)
            if refusal is not None:
                self._digests[name] = REFUSED
                raise DiagnosticError([refusal])
            try:
                data = self._list(path) if kind == LIST else self._hints.read(path)
            except OSError as error:
                self._digests[name] = REFUSED
                raise DiagnosticError([_unreadable(shown, error)]) from None
            self._bytes[name] = data
            self._digests[name] = None if data is None else digest_bytes(data)
        return self._bytes[name]

    def _list(self, path: str) -> bytes | None:
        if not os.path.isdir(path):
            return None
        begun = time.time_ns()
        data, folders = _listing(path, self._root)
        if folders is not None:
            self._hints.note_listing(path, data, folders, begun)
        return data

    def _full(self, shown: str) -> str:
        return f"{self._root}/{shown}" if shown else self._root


def as_file(name: str) -> str:
    """The name under which a source is kept: a file is one thing, whatever counts of it."""
    return f"{FILE}:{name.removeprefix(CODE + ':')}" if name.startswith(f"{CODE}:") else name


def _split(name: str) -> tuple[str, str]:
    """The kind of a source, and the path that it has below the root, in its one form."""
    kind, colon, relative = name.partition(":")
    if colon and kind in (FILE, LIST) and "/." not in relative and "//" not in relative and relative[:1] not in "/.":
        return kind, relative.removesuffix("/")
    parts = [part for part in relative.split("/") if part not in ("", ".")]
    if not colon or kind not in (FILE, LIST) or relative.startswith("/") or ".." in parts:
        raise ValueError(f"no such kind of source: {name!r}")
    return kind, "/".join(parts)


def _unreadable(path: str, error: OSError) -> Diagnostic:
    return Diagnostic("OW115", f"{path} cannot be read", Place(path), reason=reason_of(error))


def _listing(folder: str, root: str) -> tuple[bytes, dict[str, FolderHint] | None]:
    """All files below a folder, relative to it; hidden ones and `__pycache__` aside, links to folders not followed.

    A name that is no plain file's tells what it stands for: that may be refused without being read. With the hints of
    all folders, stamped before they were looked through; None where what they hold is not all that the listing tells.
    """
    names: list[str] = []
    hints: dict[str, FolderHint] = {}
    links = False
    pending = [""]
    while pending:
        prefix = pending.pop()
        place = os.path.join(folder, prefix.removesuffix("/")) if prefix else folder
        stamp = stamp_of(os.stat(place))
        folders, files, others = _entries(place)
        pending += [f"{prefix}{name}/" for name in folders]
        names += [f"{prefix}{name}" for name in files]
        names += [f"{prefix}{name}\t{_stands_for(os.path.join(place, name), root)}" for name in others]
        links = links or bool(others)
        hints[place] = [*stamp, _names_told(folders, files)]
    return "\n".join(sorted(names)).encode("utf-8", "surrogateescape"), None if links else hints


def _entries(place: str) -> tuple[list[str], list[str], list[str]]:
    """The names of the folders, files and other things in a folder that count."""
    folders: list[str] = []
    files: list[str] = []
    others: list[str] = []
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                (files if entry.is_file(follow_symlinks=False) else others).append(entry.name)
    return folders, files, others


def _names_told(folders: list[str], files: list[str]) -> str:
    """What tells the names in a folder: with others it is another text."""
    told = "\n".join((*(f"{name}/" for name in sorted(folders)), *sorted(files)))
    return digest_bytes(told.encode("utf-8", "surrogateescape"))[:32]


def _names_in(place: str) -> str:
    """The same of a folder as it is now; empty where what is there is not all that the names tell."""
    folders, files, others = _entries(place)
    return "" if others else _names_told(folders, files)


def _stands_for(path: str, root: str) -> str:
    """The kind of what is there, all links followed, and where it is if that is below the root."""
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
        real, home = os.path.realpath(path), os.path.realpath(root)
        return f"{kind:o} {os.path.relpath(real, home) if os.path.commonpath([real, home]) == home else ''}"
    except (OSError, ValueError) as error:
        return type(error).__name__


class OverlaySources:
    """Sources of one more kind, computed by `lookup`, over others. A name for which it gives None stands for nothing.

    `lookup` may raise NotYetError for a name whose value another action still has to make.
    """

    def __init__(self, base: Sources, kind: str, lookup: Callable[[str], bytes | None]) -> None:
        self._base = base
        self._prefix = f"{kind}:"
        self._lookup = lookup

    def digest(self, name: str) -> str | None:
        if not name.startswith(self._prefix):
            return self._base.digest(name)
        data = self.read(name)
        return None if data is None else digest_bytes(data)

    def read(self, name: str) -> bytes | None:
        if not name.startswith(self._prefix):
            return self._base.read(name)
        return self._lookup(name.removeprefix(self._prefix))


def digest_now(sources: Sources, name: str) -> str | None:
    """What `sources` gives for a name that a record tells: None for one that cannot be a name."""
    try:
        return sources.digest(name)
    except (LookupError, TypeError, ValueError):
        return None


class NotYetError(Exception):
    """A source whose value is the result of the action `needed`, which has not run yet."""

    def __init__(self, needed: str) -> None:
        self.needed = needed
        super().__init__(needed)
