"""File digests without reading the files: what a file's `stat` said when it was last read is kept as a hint.

The rule is git's: a hint holds while size, mtime, ctime and inode are the same, unless the file was so young when it
was read that it could have changed again within the same tick of the filesystem's clock. Such a file is read again.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from opwright.regular_file import read_opened

from opwright_build.engine.content_digest import Json, digest_bytes
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.tree import MOST_BYTES, open_regular

SETTLED_NS = 2_000_000_000  # the coarsest clock among filesystems in use (FAT) ticks every two seconds

_Stamp = list[int]  # of a file: size, mtime, ctime, inode
_FolderStamp = list[int]  # of a folder: mtime, ctime, device, inode
FolderHint = list[int | str]  # the stamp, and what tells the names in the folder
_Hint = list[int | str]  # size, mtime, ctime, inode, digest
_Listing = tuple[str, dict[str, FolderHint]]  # the digest, and the folders that it is of
_FEW, _FEW_BYTES = 0.01, 1 << 18  # of the hints that are known, and of the files that the others are of
_MANY = 2000  # hints; fewer are written whatever is new
_MOST_FOLDERS = 1000  # with more that have changed, looking through all is no detour


class FileHints:
    """Digests of files by path, remembered from run to run in `file`. `rehash` ignores what is remembered."""

    def __init__(self, file: StateFile, rehash: bool = False) -> None:
        self._file = file
        loaded = {} if rehash else file.load()
        self._known: dict[str, _Hint] = loaded.get("files", {})
        self._listings: dict[str, _Listing] = loaded.get("listed", {})
        self._used: dict[str, _Hint] = {}
        self.rehash = rehash
        self._changed = rehash
        self._new_bytes = 0  # of the files that were read for hints which are not saved
        self._new_folders = 0  # that have another stamp and the same names

    def digest(self, path: Path | str) -> str | None:
        """The sha256 of the file's bytes, or None when there is no such file. OSError when it cannot be read."""
        name = os.fspath(path)
        try:
            status = os.stat(name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        known = self.known(name, status)
        if known is not None:
            return known
        data = self.read(path)
        return None if data is None else digest_bytes(data)

    def known(self, name: str, status: os.stat_result) -> str | None:
        """The digest of a file, of which the system says `status`, as far as that is known without reading it."""
        return _digest_for(self._known.get(name), status)

    def stamp(self, name: str, digest: str) -> _Stamp | None:
        """What the system says of a file while it has that digest, as far as that is known."""
        for hints in (self._used, self._known):
            hint = hints.get(name)
            if hint is not None and hint[4] == digest:
                return [int(part) for part in hint[:4]]
        return None

    def read(self, path: Path | str) -> bytes | None:
        """The file's bytes, or None when there is no such file; the digest is remembered.

        OSError when it cannot be read, and when it is no regular file.
        """
        try:
            with open(open_regular(path), "rb") as file:
                # Stamped before reading: a write that comes later leaves another stamp, or a young one.
                stamp = _stamp(os.fstat(file.fileno()))
                now = time.time_ns()
                data = read_opened(file, MOST_BYTES)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        if now - max(stamp[1], stamp[2]) > SETTLED_NS:
            name = os.fspath(path)
            hint: _Hint = [*stamp, digest_bytes(data)]
            if self._known.get(name) != hint:
                self._used[name] = hint
                self._new_bytes += len(data)
        return data

    def known_listing(self, path: str, names_in: Callable[[str], str]) -> str | None:
        """The digest of the names of all files below a folder, where no folder there has other names than when they
        were read. A system stamps a folder when a name in it comes or goes, so only those with another stamp are looked
        at: `names_in` tells the names in one, as the hints of `note_listing` do."""
        digest, folders = self._listings.get(path, ("", {}))
        try:
            changed = [folder for folder, hint in folders.items() if stamp_of(os.lstat(folder)) != hint[:4]]
            if not folders or len(changed) > _MOST_FOLDERS:
                return None
            for folder in changed:
                begun = time.time_ns()
                status = os.lstat(folder)
                names = folders[folder][4]
                if not stat.S_ISDIR(status.st_mode) or names_in(folder) != names:
                    return None
                if _is_settled(stamp_of(status), begun):
                    folders[folder] = [*stamp_of(status), names]
                    self._new_folders += 1
        except OSError:
            return None
        return digest

    def listed_folders(self, path: str) -> Iterable[str]:
        """The real folders that a listing is of, itself and all below."""
        return self._listings.get(path, ("", {}))[1]

    def note_listing(self, path: str, data: bytes, folders: dict[str, FolderHint], begun: int) -> None:
        """Remembers a listing that was `begun` at a time in nanoseconds, with the hints of all folders that it is of.
        Where one of them was so young that it could change again within a tick, nothing is remembered."""
        if all(_is_settled([int(part) for part in hint[:2]], begun) for hint in folders.values()):
            self._listings[path] = (digest_bytes(data), folders)
            self._changed = True

    def save(self) -> None:
        """Writes the hints for the next run if those that are new are worth it: all are written, so few small files
        among many are rather read again. Losing them costs time only, and failures are ignored."""
        new = len(self._used) + self._new_folders
        few = len(self._known) * _FEW if len(self._known) > _MANY else 0
        if not self._changed and self._new_bytes <= _FEW_BYTES and new <= few:
            return
        self._known |= self._used
        self._used = {}
        files: dict[str, Json] = {**self._known}
        with contextlib.suppress(OSError):
            self._file.save({"files": files, "listed": self._listings})
        self._changed, self._new_bytes, self._new_folders = False, 0, 0


def _is_settled(stamp: _FolderStamp, begun: int) -> bool:
    """Whether a folder of that stamp was old enough at a time in nanoseconds: what changed later has another stamp."""
    return begun - max(stamp[:2]) > SETTLED_NS


def stamp_of(status: os.stat_result) -> _FolderStamp:
    """What tells whether the names in a folder have changed."""
    return [status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino]


def _stamp(status: os.stat_result) -> _Stamp:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _digest_for(hint: _Hint | None, status: os.stat_result) -> str | None:
    """What a hint says of a file as it is."""
    if hint is None or hint[1] != status.st_mtime_ns or hint[:4] != _stamp(status):
        return None
    return str(hint[4])
