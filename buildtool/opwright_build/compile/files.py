"""The Python files of a library, parsed: what a relative import may reach. Nothing is imported."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import PurePosixPath

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import Module, parse

Read = Callable[[str], bytes | None]


class SpecFiles:
    """Python files of the library, by paths relative to its root; each is parsed once."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._parsed: dict[str, Module | Diagnostic | None] = {}

    def open(self, path: str) -> Module | Diagnostic | None:
        """The parsed file; the diagnostic that ended it; None when there is no such file."""
        if path not in self._parsed:
            self._parsed[path] = self._parse(path)
        return self._parsed[path]

    def _parse(self, path: str) -> Module | Diagnostic | None:
        try:
            data = self._read(path)
        except DiagnosticError as error:
            return error.diagnostics[0]
        return None if data is None else _parsed(path, data)

    def module(self, name: str, level: int, origin: str) -> Module | Diagnostic | None:
        """What `from ..name import x` in the file `origin` reaches, inside the library's root only."""
        folder = PurePosixPath(origin).parent
        for _ in range(level - 1):
            if folder == PurePosixPath("."):
                return None
            folder = folder.parent
        path = folder.joinpath(*name.split(".")) if name else folder / "__init__"
        return self.open(f"{path}.py")


@lru_cache(maxsize=16)
def _parsed(path: str, data: bytes) -> Module | Diagnostic:
    """Kept, for many versions import one file of helpers, and each is compiled by an action of its own."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return Diagnostic(
            "OW301",
            "the file is not UTF-8 text",
            Place(path, line, 1, line, 2),
            reason=f"byte {error.start} is 0x{data[error.start]:02x}, which UTF-8 does not have there",
            help="save the file as UTF-8",
        )
    return other_encoding(path, data) or parse(Source(path, text))


_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # as in PEP 263
_BLANK = re.compile(rb"^[ \t\f]*(?:#.*)?$")


def other_encoding(path: str, data: bytes) -> Diagnostic | None:
    """What is wrong with a file that tells Python to read it in another encoding: it would run what is not compiled."""
    for number, line in enumerate(re.split(rb"\r\n|\r|\n", data, maxsplit=2)[:2], 1):
        found = _COOKIE.match(line)
        if found is not None:
            name = found[1].decode("ascii", "replace")
            if re.sub(r"[_-]", "", name.lower()) in ("utf8", "utf8sig"):
                return None
            return Diagnostic(
                "OW301",
                f"the file asks to be read as {name}",
                Place(path, number, found.start(1) + 1, number, found.end(1) + 1),
                reason="Python would read another text than the one that is compiled and reviewed",
                help="save the file as UTF-8, and remove the comment",
            )
        if not _BLANK.match(line):
            return None
    return None
