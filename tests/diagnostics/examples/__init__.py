"""The page of each diagnostic code: what it means, why it is one, an example that yields it and one that does not.

Every module of this folder holds the entries of one stage as `ENTRIES`. The reference page `docs/diagnostics.md`,
`opwright explain OWnnn` and the golden tests are made from them. A code is never reused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pkgutil import iter_modules


@dataclass(frozen=True, slots=True)
class Example:
    """Files laid over the tiny valid library of `tests/diagnostics/base_library`, and the command run there.

    `command` is the command line without the leading `opwright`: `build`, `test`; several are joined by ` && `, as in
    `build && attach model.onnx --library dist/base-1.0.0.onnxlib -o out.onnx`. The findings of the last one count.
    A file whose content is empty is deleted. Binary files are given as text: `x.onnx.txt` holds the ONNX text form of
    `x.onnx`, and `x.hex` the bytes of `x` in hexadecimal. Four steps are no commands of ours: `damage FOLDER`
    changes the last byte of every file below the folder, `forge FOLDER` the result in every record of a cache,
    `misdirect FOLDER` adds an output elsewhere to them, and `link NAME TARGET` makes a symbolic link. `python FILE`
    runs a file of Python and shows the findings that it raises.
    """

    command: str = "build"
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The command as people type it."""
        return self.command if self.command.startswith("python ") else f"opwright {self.command}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One code. `why` says what would go wrong if this were accepted; `bad` yields the code, `good` does not.

    `beside` are codes that cannot but be found together with this one.
    """

    code: str
    title: str
    why: str
    bad: Example
    good: Example
    beside: tuple[str, ...] = ()


@cache
def all_entries() -> tuple[Entry, ...]:
    """Every entry, sorted by code."""
    entries: list[Entry] = []
    for module in sorted(iter_modules(__path__), key=lambda found: found.name):
        entries.extend(import_module(f"{__name__}.{module.name}").ENTRIES)
    return tuple(sorted(entries, key=lambda entry: entry.code))


def find_entry(code: str) -> Entry | None:
    """The entry of that code, in any letter case; None when there is none."""
    wanted = code.upper()
    return next((entry for entry in all_entries() if entry.code == wanted), None)
