"""Where eager code is: the line of the user's program that called us, and what it does with the result."""

from __future__ import annotations

import dis
import os
import re
import sys
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from opwright.diagnostics.diagnostic import Place
from opwright.lang.text.source import Source

_PACKAGE = str(Path(__file__).parents[1]) + os.sep
_CACHE = dis.opmap.get("CACHE", -1)
_COPY = dis.opmap["COPY"]  # in `a, b = c, d = f()`
_UNPACK = dis.opmap["UNPACK_SEQUENCE"]
_EXTENDED = dis.opmap["EXTENDED_ARG"]


def caller() -> FrameType | None:
    """The innermost frame that is not one of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def is_ours(frame: FrameType) -> bool:
    """Whether the code of a frame is of this package."""
    return frame.f_code.co_filename.startswith(_PACKAGE)


def place_of(frame: FrameType | None) -> Place | None:
    """The expression that the frame is evaluating."""
    if frame is None:
        return None
    from opwright.live.function_source import file_lines, shown_name  # which reads Python, as only a mistake needs

    code, line = frame.f_code, frame.f_lineno
    name = shown_name(code.co_filename)
    found = next(islice(code.co_positions(), frame.f_lasti // 2, None), None)
    if found is None:
        return Place(name, line)
    first, last, column, end = found
    if first is None or last is None or column is None or end is None:
        return Place(name, line)
    text = "".join(file_lines(code.co_filename, frame.f_globals))
    return Source(name, text).place((first, column, last, end))


_WRITTEN = re.compile(r"(.*):(\d+):(\d+)(?: \w+)*")  # the name of a node goes on with its operator


def read_place(text: str) -> Place | None:
    """The place that `str(place)` wrote, or that a node is named by."""
    match = _WRITTEN.fullmatch(text)
    if match is None:
        return None
    line, column = int(match[2]), int(match[3])
    return Place(match[1], line, column, line, column + 1)


def unpacked_to(frame: FrameType | None) -> int | None:
    """To how many names the value of the call that the frame is making is unpacked; None when it is not unpacked."""
    return None if frame is None else _count(frame.f_code, frame.f_lasti)


def _count(code: CodeType, at: int) -> int | None:
    """`UNPACK_SEQUENCE` right after the call: the operators with optional results give as many as are wanted."""
    instructions = code.co_code
    position = at + 2
    while position < len(instructions) and instructions[position] in (_CACHE, _COPY):
        position += 2
    high = 0
    while position < len(instructions) and instructions[position] == _EXTENDED:
        high = (high | instructions[position + 1]) << 8
        position += 2
    if position < len(instructions) and instructions[position] == _UNPACK:
        return high | instructions[position + 1]
    return None
