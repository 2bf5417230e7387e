"""Files below a folder that is not trusted: what may be read there, written and removed.

A checkout may hold anything: a link to a home directory where the cache is looked for, a pipe in place of a source. So
nothing is followed out of the folder, nothing is opened that is no regular file, and what is written or removed lies
in real folders.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from opwright import regular_file
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place

from opwright_build.engine.system_errors import kind_of

MOST_BYTES = 1 << 31  # of one file
MOST_STATE_BYTES = 1 << 27  # of one that says what the tool knows of a folder
MOST_SOURCE_BYTES = 1 << 26  # of one that comes with a library
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


_NEW = 0o666  # the mode of new files, less the umask
LEFTOVER = re.compile(r"(?:^|/)\.[^/]+\.[0-9a-f]{16}\Z")  # of `write_whole`, in a process that was killed
NotRegularError = regular_file.NotRegularError


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a store: its path in it, its size, and when it was last written or used, in seconds since 1970."""

    path: str
    size: int
    used: float


class Tree:
    """The files below `root`, by POSIX paths relative to it. The root itself may be reached by links."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._root = os.fspath(root)
        self._real: set[str] = set()
        self._inside: dict[str, bool] = {}

    def require_folder(self, path: str) -> None:
        """Raises DiagnosticError (OW520) unless each part of the path is a real folder, or nothing yet."""
        if path in self._real or path in ("", "."):
            return
        _require_normal(path)
        above, _, _ = path.rpartition("/")
        self.require_folder(above)
        status = _status(f"{self._root}/{path}")
        if status is None:
            return
        if stat.S_ISLNK(status.st_mode):
            raise DiagnosticError([_linked(path)])
        if stat.S_ISDIR(status.st_mode):
            self._real.add(path)  # a file in its place is found by who opens or makes what lies in it

    def require_file(self, path: str) -> None:
        """Raises DiagnosticError (OW520, OW521) unless the path is that of a regular file in real folders, or of
        nothing yet."""
        _require_normal(path)
        above, _, _ = path.rpartition("/")
        self.require_folder(above)
        status = _status(f"{self._root}/{path}")
        if status is not None and not stat.S_ISREG(status.st_mode):
            raise DiagnosticError([_not_regular(path, status)])

    def read(self, path: str) -> bytes | None:
        """The bytes of a regular file in real folders; None where there is none. DiagnosticError (OW520, OW521)."""
        self.require_file(path)
        try:
            return read_regular(self.root / path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def walk(self, folder: str) -> Iterator[StoredFile]:
        """The regular files below a folder, in real folders; others are passed over."""
        try:
            entries = sorted(os.scandir(self.root / folder), key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return
        for entry in entries:
            path = f"{folder}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                yield from self.walk(path)
            elif entry.is_file(follow_symlinks=False):
                with suppress(FileNotFoundError):  # removed meanwhile
                    status = entry.stat(follow_symlinks=False)
                    yield StoredFile(path, status.st_size, status.st_mtime)

    def refuse_source(self, path: str) -> Diagnostic | None:
        """Why a file or folder that is there is not read: a link leads out of the root, it is none or too large."""
        full = os.path.join(self.root, path)
        try:
            status = os.lstat(full)
            if not self._leads_inside(os.path.dirname(path)):
                return _leads_out(path)
            if stat.S_ISLNK(status.st_mode):
                if not self._is_inside(full):
                    return _leads_out(path)
                status = os.stat(full)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            return Diagnostic("OW115", f"{path} is not a regular file", Place(path))
        if stat.S_ISREG(status.st_mode) and status.st_size > MOST_SOURCE_BYTES:
            reason = f"it has {status.st_size:,} bytes; at most {MOST_SOURCE_BYTES:,} are read"
            return Diagnostic("OW115", f"{path} cannot be read", Place(path), reason=reason)
        return None

    def plain_file(self, path: str) -> os.stat_result | None:
        """What the system says of a regular file that `refuse_source` does not refuse; None for all else."""
        try:
            status = os.lstat(f"{self._root}/{path}")
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_SOURCE_BYTES:
            return None
        return status if self._leads_inside(path.rpartition("/")[0]) else None

    def note_inside(self, folders: Iterable[str]) -> None:
        """These, by their whole paths, are real folders below the root, and so are all above them that lie in it."""
        start = len(self._root) + 1
        self._inside.update((folder[start:], True) for folder in folders)

    def _leads_inside(self, folder: str) -> bool:
        """Whether a folder lies in the root, all links followed. What is no link lies where the one above lies."""
        known = self._inside.get(folder)
        if known is None:
            full = f"{self._root}/{folder}"
            if folder and _is_real_folder(full):
                known = self._leads_inside(folder.rpartition("/")[0])
            else:
                known = self._is_inside(full)
            self._inside[folder] = known
        return known

    def _is_inside(self, path: str) -> bool:
        root = os.path.realpath(self.root)
        return os.path.commonpath([os.path.realpath(path), root]) == root


def stays_inside(name: str) -> bool:
    """Whether a text, taken as a path relative to a folder, is plainly a path below that folder."""
    if not name or "\\" in name or ":" in name or not name.isprintable():
        return False
    return all(part not in ("", ".", "..") for part in name.split("/"))


def open_regular(path: Path | str) -> int:
    """A descriptor of a regular file, for reading; links are followed. NotRegularError, and what `os.open` raises."""
    return regular_file.open_regular(path, MOST_BYTES)


def read_regular(path: Path | str, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file of at most `most`. NotRegularError, and what `os.open` raises."""
    return regular_file.read_regular(path, most)


def create(path: Path | str, data: bytes, durable: bool = False, mode: int = _NEW) -> None:
    """Writes a file that does not exist yet; what stands there, a link among them, gives FileExistsError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY, mode)
    with open(descriptor, "wb") as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())


def write_whole(path: Path | str, data: bytes, mode: int = _NEW, *, durable: bool = False) -> None:
    """Puts a file there, whole or not at all; in place of a link, not through it. `durable`: it is on the disk, and so
    is its name, when this returns."""
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{secrets.token_hex(8)}")
    try:
        try:
            create(temporary, data, durable, mode)
        except FileNotFoundError:
            Path(folder).mkdir(parents=True, exist_ok=True)
            create(temporary, data, durable, mode)
        if mode != _NEW:
            os.chmod(temporary, mode)  # one that is asked for is not cut by the umask
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    if durable:
        sync_folder(Path(folder))


def discard_file(tree: Tree, file: StoredFile) -> bool:
    """Removes a file below a folder, unless it was written or used since it was listed. OSError when it cannot be."""
    tree.require_file(file.path)
    path = tree.root / file.path
    try:
        if os.lstat(path).st_mtime != file.used:
            return False
        path.unlink()
    except FileNotFoundError:
        return False
    return True


def touch(path: Path | str) -> None:
    """Sets the time of a file to now; of a link, where the system tells them apart, that of the link. OSError."""
    os.utime(path, follow_symlinks=os.utime not in os.supports_follow_symlinks)


def sync_folder(folder: Path) -> None:
    """Waits until the names in a folder are on the disk, where the system can be asked to."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # folders cannot be opened everywhere
        return
    try:
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sweep(folder: Path, names: Collection[str]) -> None:
    """Removes what `write_whole` of processes that were killed has left of these files; no other may be at work."""
    leftover = re.compile(rf"\.({'|'.join(map(re.escape, names))})\.[0-9a-f]{{16}}")
    for name in os.listdir(folder):
        if leftover.fullmatch(name):
            with contextlib.suppress(OSError):  # it is in nobody's way
                os.unlink(folder / name)


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _is_real_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _require_normal(path: str) -> None:
    if not stays_inside(path):
        raise ValueError(f"not a path below a folder: {path!r}")


def _leads_out(path: str) -> Diagnostic:
    return Diagnostic("OW127", f"{path} is a link that leads out of the library", Place(path))


def _linked(path: str) -> Diagnostic:
    return Diagnostic(
        code="OW520",
        message=f"{path} is a link, and the tool writes into real folders only",
        place=Place(path),
        reason="a link that comes with a checkout could lead the tool to write or remove files anywhere",
        help="remove the link; the folder is made when it is needed. A cache elsewhere is named with --cache FOLDER",
    )


def _not_regular(path: str, status: os.stat_result) -> Diagnostic:
    return Diagnostic(
        code="OW521",
        message=f"{path} is {kind_of(status)}, where the tool reads or writes a regular file",
        place=Place(path),
        reason="a link may lead out of the library, and a pipe or a device has no end",
        help="remove it",
    )
