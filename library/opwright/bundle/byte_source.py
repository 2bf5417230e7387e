"""Bytes that are read where they are needed: of a file that stays open, or in memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Protocol

from opwright.regular_file import open_regular, read_regular


class Source(Protocol):
    """Bytes of a known number."""

    @property
    def size(self) -> int: ...

    def read(self, offset: int, size: int) -> bytes:
        """The bytes from `offset` on, fewer than `size` where they end before. OSError when they cannot be read."""
        ...


class HeldBytes:
    """Bytes in memory."""

    __slots__ = ("_data", "size")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]


if sys.platform == "win32":  # a file that is open there cannot be replaced, and a build replaces bundles

    def open_source(path: Path, most: int) -> Source:
        """The bytes of a regular file of at most `most`. OSError as `read_regular` raises it."""
        return HeldBytes(read_regular(path, most))

else:

    class _OpenFile:
        """A file as it was when it was opened, even where another has taken its name since."""

        __slots__ = ("_descriptor", "size")
        _close = staticmethod(os.close)  # modules may be gone when the last bundles are

        def __init__(self, descriptor: int) -> None:
            self._descriptor = descriptor
            self.size = os.fstat(descriptor).st_size

        def read(self, offset: int, size: int) -> bytes:
            parts: list[bytes] = []
            while size > 0:
                part = os.pread(self._descriptor, size, offset)  # may be fewer bytes than are there
                if not part:
                    break
                parts.append(part)
                offset, size = offset + len(part), size - len(part)
            return parts[0] if len(parts) == 1 else b"".join(parts)

        def __del__(self) -> None:
            self._close(self._descriptor)

    def open_source(path: Path, most: int) -> Source:
        """The bytes of a regular file of at most `most`. OSError as `open_regular` raises it."""
        return _OpenFile(open_regular(path, most))
