"""Reading a file that may be anything: a pipe or a device in its place, or larger than what fits."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe that takes a file's place must not be waited for
_PIECE = 1 << 20
_BINARY = getattr(os, "O_BINARY", 0)


class NotRegularError(OSError):
    """There is something of that name, and it is no regular file, or one that is too large to be read."""


def open_regular(path: Path | str, most: int) -> int:
    """A descriptor of a regular file of at most `most` bytes, for reading; links are followed. NotRegularError, and
    what `os.open` raises."""
    _require_regular(os.stat(path), most)
    descriptor = os.open(path, os.O_RDONLY | _NO_WAIT | _BINARY)
    try:
        _require_regular(os.fstat(descriptor), most)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def read_regular(path: Path | str, most: int) -> bytes:
    """The bytes of a regular file of at most `most`. NotRegularError, and what `os.open` raises.

    Some files have more than they say, or grow while they are read: no more than that is read.
    """
    with open(open_regular(path, most), "rb") as file:
        return read_opened(file, most)


def read_opened(file: BinaryIO, most: int) -> bytes:
    """What is left of a file that `open_regular` has opened. NotRegularError where that is more than `most`."""
    data = read_up_to(file, most + 1)
    if len(data) > most:
        raise _too_large(most)
    return data


def read_up_to(file: BinaryIO, most: int) -> bytes:
    """The next bytes of a file that `open_regular` has opened: at most so many.

    They are asked for as the file's size says: what is asked for is allocated before it is read, and such an allocation
    stays one of its own, however little of it is kept. A process may have some ten thousands of them.
    """
    wanted = min(most, os.fstat(file.fileno()).st_size + 1)
    data = file.read(wanted)
    while len(data) == wanted < most:  # it has more than it says
        wanted = min(most, wanted + _PIECE)
        data += file.read(wanted - len(data))
    return data


def _require_regular(status: os.stat_result, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(errno.EINVAL, "it is no regular file")
    if status.st_size > most:
        raise _too_large(most)


def _too_large(most: int) -> NotRegularError:
    return NotRegularError(errno.EFBIG, f"it has more than {most:,} bytes")
