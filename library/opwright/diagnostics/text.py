"""Findings as text: place, code, message, the source line with carets, reason, help and the related places.

    specs/com.acme/Swish/function.py:4:12: error OW301: ONNX has no operator Sigmod at opset 18
       4 |     return op.Sigmod(x) * x
         |            ^^^^^^^^^
      reason: ...
      help: did you mean Sigmoid?
      specs/com.acme/Swish/spec.yaml:6:8: note: the opset range stands here

Source text may come from strangers, so control characters are shown, never sent to the terminal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable

from opwright.diagnostics.diagnostic import Diagnostic, Place, Related, Severity

Sources = Callable[[str], "str | None"]

WIDTH = 120  # columns of a source line that are shown; longer lines are clipped around the carets
TAB = 4
_CLIP = "..."
_LEAD = 20  # columns kept to the left of the carets in a clipped line

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_COLORS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.NOTE: "\x1b[1;36m"}


def render(diagnostics: Iterable[Diagnostic], sources: Sources, color: bool = False) -> str:
    """The text of all findings, in the order given, a blank line between two; ends with a newline unless empty.

    `sources` gives a file's whole text by the name in `Place.file`, or None where it cannot be had: the finding is
    then shown without its line.
    """
    lines_of = _LineCache(sources)
    return "\n".join(_render_one(item, lines_of, color) for item in diagnostics)


def printable(text: str) -> str:
    """`text` with every control character but the newline written as an escape."""
    return "".join(char if char == "\n" else _shown(char) for char in text)


class _LineCache:
    """The lines of each source file, split once."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._lines: dict[str, list[str]] = {}

    def line(self, file: str, number: int) -> str | None:
        lines = self._lines.get(file)
        if lines is None:
            text = self._sources(file)
            # Python and YAML agree on these line ends alone; str.splitlines also cuts at form feeds and U+2028.
            lines = [] if text is None else text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            self._lines[file] = lines
        return lines[number - 1] if 0 < number <= len(lines) else None


def _render_one(item: Diagnostic, lines_of: _LineCache, color: bool) -> str:
    label = f"{item.severity.value} {item.code}"
    if color:
        label = f"{_COLORS[item.severity]}{label}{_RESET}"
    first, *rest = printable(item.message).split("\n")
    head = f"{label}: {_BOLD}{first}{_RESET}" if color else f"{label}: {first}"
    if item.place is not None:
        head = f"{printable(str(item.place))}: {head}"
    out = [head, *(f"  {line}" for line in rest)]
    if item.place is not None:
        out += _excerpt(item.place, lines_of, _COLORS[item.severity] if color else "")
    out += _labelled("reason", item.reason)
    out += _labelled("help", item.help)
    for related in item.related:
        out += _related(related, lines_of, color)
    return "\n".join(out) + "\n"


def _labelled(label: str, text: str) -> list[str]:
    if not text:
        return []
    first, *rest = printable(text).split("\n")
    return [f"  {label}: {first}", *(" " * (len(label) + 4) + line for line in rest)]


def _related(related: Related, lines_of: _LineCache, color: bool) -> list[str]:
    place = printable(str(related.place))
    first, *rest = printable(related.note).split("\n")
    return [
        f"  {place}: note: {first}",
        *(f"    {line}" for line in rest),
        *_excerpt(related.place, lines_of, _COLORS[Severity.NOTE] if color else ""),
    ]


def _excerpt(place: Place, lines_of: _LineCache, paint: str) -> list[str]:
    """The source line and the carets under it; nothing for a whole file or an unknown line."""
    if place.line == 0:
        return []
    line = lines_of.line(place.file, place.line)
    if line is None:
        return []
    shown, start, width = _layout(line, place)
    number = f"{place.line:>6}"
    carets = "^" * width
    if paint:
        carets = f"{paint}{carets}{_RESET}"
    return [f"{number} | {shown}".rstrip(), f"{' ' * len(number)} | {' ' * start}{carets}"]


def _layout(line: str, place: Place) -> tuple[str, int, int]:
    """The line as shown, the column (from 0) at which its carets start, and how many carets there are."""
    first = min(max(place.column, 1), len(line) + 1) - 1
    last = len(line) if place.end_line > place.line else min(max(place.end_column - 1, first), len(line))
    if len(line) > WIDTH and line.isascii() and line.isprintable():
        return _clip_plain(line, first, max(last - first, 1))
    cells: list[str] = []
    column = start = end = 0
    for index, char in enumerate(line):
        if index == first:
            start = column
        if index == last:
            end = column
        cell = " " * (TAB - column % TAB) if char == "\t" else _shown(char)
        cells.append(cell)
        column += _cell_width(cell)
    if first >= len(line):
        start = column
    if last >= len(line):
        end = column
    return _clip(cells, column, start, max(end - start, 1))


def _clip(cells: list[str], total: int, start: int, width: int) -> tuple[str, int, int]:
    """Cuts a long line to WIDTH columns around its carets; whole characters only."""
    if total <= WIDTH:
        return "".join(cells), start, width
    # Carets that fit next to the line's start leave the left end alone.
    left = 0 if start + min(width, WIDTH // 2) <= WIDTH - len(_CLIP) else start - _LEAD
    kept: list[str] = []
    column = 0
    shift = None
    room = WIDTH - (len(_CLIP) if left else 0) - len(_CLIP)
    cut_right = False
    for cell in cells:
        size = _cell_width(cell)
        if column >= left:
            if shift is None:
                shift = column
            if column - shift + size > room:
                cut_right = True
                break
            kept.append(cell)
        column += size
    shift = shift or 0
    lead = _CLIP if left else ""
    start = start - shift + len(lead)
    return f"{lead}{''.join(kept)}{_CLIP if cut_right else ''}", start, max(min(width, WIDTH - start), 1)


def _clip_plain(line: str, start: int, width: int) -> tuple[str, int, int]:
    """The same for a line whose characters take a column each: many findings may stand in one long line."""
    left = 0 if start + min(width, WIDTH // 2) <= WIDTH - len(_CLIP) else start - _LEAD
    room = WIDTH - (len(_CLIP) if left else 0) - len(_CLIP)
    kept, lead = line[left : left + room], _CLIP if left else ""
    start = start - left + len(lead)
    tail = _CLIP if left + room < len(line) else ""
    return f"{lead}{kept}{tail}", start, max(min(width, WIDTH - start), 1)


def _shown(char: str) -> str:
    """A character as it is printed: itself, or an escape where it would steer a terminal or hide."""
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return char
    if code <= 0xFF and unicodedata.category(char) in ("Cc", "Cf"):
        return f"\\x{code:02x}"
    # Format characters (bidirectional overrides, zero-width joiners), lone surrogates, line and paragraph separators.
    if unicodedata.category(char) in ("Cf", "Cs", "Zl", "Zp"):
        return f"\\u{code:04x}"
    return char


def _cell_width(cell: str) -> int:
    """Terminal columns: 2 for East Asian wide characters, 0 for combining marks, 1 for the rest."""
    if cell.isascii():
        return len(cell)
    width = 0
    for char in cell:
        if unicodedata.combining(char):
            continue
        width += 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
    return width
