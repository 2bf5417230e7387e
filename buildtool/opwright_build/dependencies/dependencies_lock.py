"""`specs/dependencies.lock`: which release of each library is built against, by the digest of its bundle's file.

One JSON object a line, sorted by library. Only `opwright update` writes it; a build reads it and holds what it finds
against it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from opwright.bundle.normal_name import normal_name
from opwright.diagnostics.diagnostic import Diagnostic, Place

LOCK_FILE = "specs/dependencies.lock"
INSTALLED = "installed"  # the source of a library that is no file of this one
MOST_BYTES = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_UPDATE = "Run `opwright update` and review what changed in the file."


@dataclass(frozen=True, slots=True)
class LockedLibrary:
    """One line. `sha256` is that of the bundle's file, `source` where it comes from: INSTALLED, or its path below
    specs/. `line` is where it stands, 0 for one just made."""

    library: str
    version: str
    sha256: str
    source: str
    line: int = 0

    @property
    def place(self) -> Place:
        return _place(self.line) if self.line else Place(LOCK_FILE)


def read_dependencies_lock(data: bytes) -> tuple[dict[str, LockedLibrary], list[Diagnostic]]:
    """The lines by the library's name as package indexes compare it; a line that is none is a finding and left out."""
    locked: dict[str, LockedLibrary] = {}
    found: list[Diagnostic] = []
    for number, line in enumerate(data[:MOST_BYTES].split(b"\n"), 1):
        if not line.strip():
            continue
        entry = _parse(line, number)
        if entry is None or normal_name(entry.library) in locked:
            what = "no line of a lock" if entry is None else f"a second line for {entry.library}"
            reason = "a lock is written by the tool alone; what cannot be read holds nothing"
            found.append(Diagnostic("OW630", f"this is {what}", _place(number), reason, _UPDATE))
        else:
            locked[normal_name(entry.library)] = entry
    return locked, found


def write_dependencies_lock(libraries: Iterable[LockedLibrary]) -> bytes:
    """The lock's bytes: the same for the same libraries, in whatever order."""
    lines = []
    for library in sorted(libraries, key=lambda item: normal_name(item.library)):
        fields = {name: value for name, value in asdict(library).items() if name != "line"}
        lines.append(json.dumps(fields, sort_keys=True))
    return "".join(f"{line}\n" for line in lines).encode()


def _place(number: int) -> Place:
    return Place(LOCK_FILE, number, 1, number, 2)


def _parse(line: bytes, number: int) -> LockedLibrary | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, Mapping):
        return None
    fields = [value.get(name) for name in ("library", "version", "sha256", "source")]
    texts = [field for field in fields if isinstance(field, str) and 0 < len(field) <= 300 and field.isprintable()]
    if len(texts) < len(fields) or not _SHA256.match(texts[2]):
        return None
    library, version, digest, source = texts
    return LockedLibrary(library, version, digest, source, number)
