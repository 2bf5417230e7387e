"""Reading files of a library, and nothing else: no name leads out of the folder that it is written for."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.regular_file import open_regular, read_up_to

from opwright_build.engine.system_errors import reason_of


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
            with open(open_regular(self.root / path, sys.maxsize), "rb") as stream:
                data = read_up_to(stream, limit + 1)
        except OSError as error:
            return _unreadable(path, place, error)
        self.sources[path] = data
        return data

    def missing(self, folder: str, name: str, place: Place | None = None) -> Diagnostic | None:
        """What is wrong when `name` is no regular file that lies, all links followed, below `folder`."""
        path = f"{folder}/{name}"
        where = place or Place(path)
        full = os.path.join(self.root, path)
        try:
            leads_out = self.leaves(folder)
            status = None if leads_out else _status_unless_link(full, name)
            if leads_out or (status is None and not _inside(os.path.realpath(full), self._real(folder))):
                return Diagnostic("OW127", f"{path} is a link that leads out of its folder", where)
            regular = stat.S_ISREG((os.stat(full) if status is None else status).st_mode)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return Diagnostic("OW115", f"there is no file {path}", where)
        except OSError as error:
            return _unreadable(path, where, error)
        return None if regular else Diagnostic("OW115", f"{path} is not a regular file", where)

    def folders(self, name: str) -> list[str]:
        """The names of the folders below a folder, sorted; hidden ones and those that begin with `_` are left out.

        What cannot be told, such as a link that leads to itself, is among them: who reads it finds out why.
        DiagnosticError (OW115) when the folder cannot be read.
        """
        try:
            with os.scandir(self.root / name) as entries:
                found = [entry.name for entry in entries if entry.name[0] not in "._" and _may_be(entry.is_dir)]
        except OSError as error:
            raise DiagnosticError([_unreadable(name, None, error)]) from None
        return sorted(found)

    def has_files(self, name: str) -> bool:
        """Whether a folder holds a file that is not hidden, or cannot be read. (Version control leaves empty folders
        behind.)"""
        try:
            with os.scandir(self.root / name) as entries:
                return any(_may_be(entry.is_file) and not entry.name.startswith(".") for entry in entries)
        except OSError:
            return True

    def leaves(self, folder: str) -> bool:
        """Whether a folder lies, all links followed, outside the library."""
        return not _inside(self._real(folder), self._real(""))

    def _real(self, folder: str) -> str:
        """Where a folder lies, all links followed; that of the folder above serves all that lie in it."""
        if folder not in self._folders:
            full = os.path.join(self.root, folder)
            above, _, name = folder.rpartition("/")
            plain = folder and _status_unless_link(full, name) is not None
            self._folders[folder] = os.path.join(self._real(above), name) if plain else os.path.realpath(full)
        return self._folders[folder]


def _status_unless_link(full: str, name: str) -> os.stat_result | None:
    """What is there of that name in its folder; None for a link, for nothing, and for a name that is more than one."""
    if os.name != "posix" or "/" in name or name in ("", ".", ".."):
        return None
    try:
        status = os.lstat(full)
    except (OSError, ValueError):
        return None
    return None if stat.S_ISLNK(status.st_mode) else status


def _inside(path: str, folder: str) -> bool:
    return os.path.commonpath([path, folder]) == folder


def _may_be(kind: Callable[[], bool]) -> bool:
    try:
        return kind()
    except OSError:
        return True


def _unreadable(path: str, place: Place | None, error: OSError) -> Diagnostic:
    return Diagnostic("OW115", f"{path} cannot be read", place or Place(path), reason=reason_of(error))
