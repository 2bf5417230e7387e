"""Two examples of each diagnostic code: one that yields it, and one that does not.

Every module of this folder holds the examples of one stage as `PAIRS`. The tests run them, and the reference page
`docs/diagnostics.md` is made from them and from `opwright/diagnostics/registry.py`, where a code has its title and
its reason.
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
    `x.onnx`, and `x.hex` the bytes of `x` in hexadecimal. Five steps are no commands of ours: `damage FOLDER`
    changes the last byte of every file below the folder, `forge FOLDER` the result in every record of a cache,
    `misdirect FOLDER` adds an output elsewhere to them, `link NAME TARGET` makes a symbolic link, and `put NAME TARGET`
    copies a file over another one. `python FILE` runs a file of Python and shows the findings that it raises.
    """

    command: str = "build"
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The command as people type it."""
        return self.command if self.command.startswith("python ") else f"opwright {self.command}"


@dataclass(frozen=True, slots=True)
class Pair:
    """The examples of one code: `bad` yields it, `good` does not.

    `beside` are codes that cannot but be found together with this one.
    """

    code: str
    bad: Example
    good: Example
    beside: tuple[str, ...] = ()


@cache
def all_pairs() -> tuple[Pair, ...]:
    """Every pair of examples, sorted by code."""
    pairs: list[Pair] = []
    for module in sorted(iter_modules(__path__), key=lambda found: found.name):
        pairs.extend(import_module(f"{__name__}.{module.name}").PAIRS)
    return tuple(sorted(pairs, key=lambda pair: pair.code))
