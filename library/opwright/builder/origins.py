"""Where a node comes from: the lines of the author's program that were running when it was recorded."""

from __future__ import annotations

from itertools import islice
from pathlib import PurePath
from types import CodeType, FrameType

from opwright.diagnostics.diagnostic import Place
from opwright.eager.place import is_ours
from opwright.live.function_source import shown_name

# Keys of the metadata_props of a node. The place is `file.py:12:5`, as compiled models have it.
STACK = "opwright.stack"  # the callers of that line, innermost first, one a line: `file.py:30 in build`
DEEPEST = 16  # lines of a stack that are kept

Origin = tuple[tuple[CodeType, int, int], ...]  # innermost first: the code, its line, its instruction


class Origins:
    """The origins of the nodes of one graph. Equal ones are kept once: a loop makes thousands of nodes in one line."""

    def __init__(self) -> None:
        self._known: dict[Origin, Origin] = {}
        self._texts: dict[Origin, tuple[str, str]] = {}

    def of(self, frame: FrameType | None) -> Origin:
        """The lines that a frame and its callers are in, frames of this package left out."""
        found: list[tuple[CodeType, int, int]] = []
        while frame is not None and len(found) < DEEPEST:
            if not is_ours(frame):
                found.append((frame.f_code, frame.f_lineno, frame.f_lasti))
            frame = frame.f_back
        origin = tuple(found)
        return self._known.setdefault(origin, origin)

    def texts(self, origin: Origin) -> tuple[str, str]:
        """What the metadata say: the line, and the lines of its callers."""
        made = self._texts.get(origin)
        if made is None:
            calls = [f"{portable_name(code.co_filename)}:{line} in {code.co_name}" for code, line, _ in origin]
            made = self._texts[origin] = (_place(*origin[0]) if origin else "", "\n".join(calls[1:]))
        return made


def _place(code: CodeType, line: int, instruction: int) -> str:
    first, _, column, _ = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    return str(Place(portable_name(code.co_filename), first or line, (column or 0) + 1))


def portable_name(filename: str) -> str:
    """The name of a file without the folders of this machine: relative to the current folder, or its last part."""
    shown = shown_name(filename)
    path = PurePath(shown)
    return path.name if path.is_absolute() else shown
