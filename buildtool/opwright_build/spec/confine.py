"""Reading files of a library, and nothing else: no name leads out of the folder that it is written for."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, Place


class LibraryFiles:
    """The files below a library's root, named by POSIX paths relative to it. Remembers what it read in `sources`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources: dict[str, bytes] = {}
        self._folders: dict[str, str] = {}

    def read(self, folder: str, name: str, limit: int, place: Place | None = None) -> bytes | Diagnostic:
        """The bytes of the file `name` of `folder`; of a file longer than `limit`, one byte more than the limit."""
        refusal = self.missing(folder, name, place)
        if refusal is not None:
            return refusal
        path = f"{folder}/{name}"
        try:
            with open(self.root / path, "rb") as stream:
                data = stream.read(limit + 1)
        except OSError as error:
            return Diagnostic("OW115", f"{path} cannot be read", place or Place(path), reason=error.strerror or "")
        self.sources[path] = data
        return data

    def missing(self, folder: str, name: str, place: Place | None = None) -> Diagnostic | None:
        """What is wrong when `name` is no regular file that lies, all links followed, below `folder`."""
        path = f"{folder}/{name}"
        where = place or Place(path)
        full = os.path.join(self.root, path)
        try:
            if self.leaves(folder) or not _inside(os.path.realpath(full), self._real(folder)):
                return Diagnostic("OW127", f"{path} is a link that leads out of its folder", where)
            regular = stat.S_ISREG(os.stat(full).st_mode)
        except (OSError, ValueError):
            return Diagnostic("OW115", f"there is no file {path}", where)
        return None if regular else Diagnostic("OW115", f"{path} is not a regular file", where)

    def folders(self, name: str) -> list[str]:
        """The names of the folders below a folder, sorted; hidden ones and those that begin with `_` are left out."""
        with os.scandir(self.root / name) as entries:
            found = [entry.name for entry in entries if entry.name[0] not in "._" and entry.is_dir()]
        return sorted(found)

    def has_files(self, name: str) -> bool:
        """Whether a folder holds a file that is not hidden. (Version control leaves empty folders behind.)"""
        with os.scandir(self.root / name) as entries:
            return any(entry.is_file() and not entry.name.startswith(".") for entry in entries)

    def leaves(self, folder: str) -> bool:
        """Whether a folder lies, all links followed, outside the library."""
        return not _inside(self._real(folder), os.path.realpath(self.root))

    def _real(self, folder: str) -> str:
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(os.path.join(self.root, folder))
        return self._folders[folder]


def _inside(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder
