"""The terminal, or what stands for it: two streams, and whether they may be coloured or rewritten."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from opwright.standard_output import is_closed


@dataclass(frozen=True, slots=True)
class Console:
    """Results go to `out`, progress to `err`. `color`: `out` may carry escapes. `live`: `err` may be redrawn."""

    out: TextIO
    err: TextIO
    color: bool = False
    live: bool = False

    def result(self, text: str) -> None:
        print(text, file=self.out, flush=True)

    def summary(self, text: str) -> None:
        """What was done: nobody misses it where there is no output."""
        if not is_closed(self.out):
            self.result(text)

    def progress(self, text: str) -> None:
        print(text, file=self.err, flush=True)


def open_console(out: TextIO, err: TextIO, environment: Mapping[str, str]) -> Console:
    """A console on these streams, by the conventions of `NO_COLOR`, `CI` and `TERM=dumb`.

    Characters that a stream's encoding lacks are written as escapes.
    """
    for stream in (out, err):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    plain = bool(environment.get("CI")) or environment.get("TERM") == "dumb"
    color = not plain and not environment.get("NO_COLOR") and out.isatty()
    return Console(out, err, color=color, live=not plain and err.isatty())
