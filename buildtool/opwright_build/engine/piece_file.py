"""Many pieces of bytes in one file, of which few are read at a time, and few are written anew.

What is new is put behind what is there, so a process that is killed spoils nothing that was there before. Where each
piece stands is kept elsewhere, by who has sealed it: a piece that is not the one that was written is no piece.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path

from opwright_build.engine.tree import open_regular, write_whole

PieceRef = Sequence[int | str]  # where a piece begins, its size, and its digest
# No link is followed, no pipe that stands there waited for.
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class PieceFile:
    """Such a file. Losing it costs time only."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: bytes | None = None

    def read(self, ref: PieceRef) -> bytes | None:
        """A piece; None where it is lost."""
        start, size, digest = int(ref[0]), int(ref[1]), ref[2]
        try:
            data = self._slice(start, size)
        except OSError:
            return None
        return data if _digest(data) == digest else None

    def read_all(self, refs: Sequence[PieceRef]) -> list[bytes] | None:
        """All these pieces; None where one is lost. The file is read once, no further than the last of them."""
        end = max((int(ref[0]) + int(ref[1]) for ref in refs), default=0)
        try:
            with open(open_regular(self._path), "rb") as file:
                self._held = file.read(end)
        except OSError:
            return None
        found = [self.read(ref) for ref in refs]
        self._held = None
        whole = [data for data in found if data is not None]
        return whole if len(whole) == len(found) else None

    def write(self, pieces: Iterable[bytes]) -> list[PieceRef]:
        """Makes the file anew, of these pieces; where they stand. OSError when the disk refuses."""
        listed = list(pieces)
        write_whole(self._path, b"".join(listed))
        return _refs(0, listed)

    def append(self, pieces: Sequence[bytes]) -> list[PieceRef]:
        """Puts pieces behind the others; where they stand. OSError when the disk refuses."""
        with open(self._path, "ab", opener=_open_to_append) as file:
            start = file.seek(0, os.SEEK_END)
            file.write(b"".join(pieces))
        return _refs(start, pieces)

    def size(self) -> int:
        """Of the whole file. OSError where there is none."""
        return os.lstat(self._path).st_size

    def _slice(self, start: int, size: int) -> bytes:
        if self._held is not None:
            return self._held[start : start + size]
        with open(open_regular(self._path), "rb") as file:
            file.seek(start)
            return file.read(size)


def _open_to_append(path: str, _: int) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | _SAFELY)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", path)
    return descriptor


def _refs(start: int, pieces: Sequence[bytes]) -> list[PieceRef]:
    refs: list[PieceRef] = []
    for data in pieces:
        refs.append((start, len(data), _digest(data)))
        start += len(data)
    return refs


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
