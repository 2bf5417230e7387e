"""Where a node comes from: the lines of the author's program that were running when it was recorded."""

from __future__ import annotations

from pathlib import PurePath
from types import CodeType, FrameType

from opwright.eager.place import is_ours
from opwright.live.source import shown_name

PLACE = "opwright.place"  # metadata_props of a node: `file.py:12`
STACK = "opwright.stack"  # the callers of that line, innermost first, one a line: `file.py:30 in build`
DEEPEST = 16  # lines of a stack that are kept

Origin = tuple[tuple[CodeType, int], ...]  # innermost first


class Origins:
    """The origins of the nodes of one graph. Equal ones are kept once: a loop makes thousands of nodes in one line."""

    def __init__(self) -> None:
        self._known: dict[Origin, Origin] = {}
        self._texts: dict[Origin, tuple[str, str]] = {}

    def of(self, frame: FrameType | None) -> Origin:
        """The lines that a frame and its callers are in, frames of this package left out."""
        found: list[tuple[CodeType, int]] = []
        while frame is not None and len(found) < DEEPEST:
            if not is_ours(frame):
                found.append((frame.f_code, frame.f_lineno))
            frame = frame.f_back
        origin = tuple(found)
        return self._known.setdefault(origin, origin)

    def texts(self, origin: Origin) -> tuple[str, str]:
        """What the metadata say: the line, and the lines of its callers."""
        made = self._texts.get(origin)
        if made is None:
            lines = [f"{portable_name(code.co_filename)}:{line}" for code, line in origin]
            calls = [f"{text} in {code.co_name}" for text, (code, _) in zip(lines, origin, strict=True)]
            made = self._texts[origin] = (lines[0] if lines else "", "\n".join(calls[1:]))
        return made


def portable_name(filename: str) -> str:
    """The name of a file without the folders of this machine: relative to the current folder, or its last part."""
    shown = shown_name(filename)
    path = PurePath(shown)
    return path.name if path.is_absolute() else shown
