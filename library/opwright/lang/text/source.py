"""Source text and places in it."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from opwright.diagnostics.diagnostic import Place, Replacement

# (line, column, end line, end column): lines from 1, columns in UTF-8 bytes from 0, as Python's ast counts.
Span = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A name that is not known, and the one that is sure to be meant, if any. `is_keyword`: it stands before the value
    that a finding points at."""

    name: str
    meant: str
    is_keyword: bool = False


class Source:
    """One file's text under the name that diagnostics show."""

    def __init__(self, name: str, text: str, first_line: int = 1) -> None:
        self.name = name
        self.text = text
        self.first_line = first_line
        self._lines: list[str] | None = None

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            self._lines = split_lines(self.text)
        return self._lines

    def line(self, number: int) -> int:
        """The line of the file that a line of the text is."""
        return number + self.first_line - 1

    def place(self, span: Span | None) -> Place:
        """The place that diagnostics show for a span; the whole file when there is none."""
        if span is None:
            return Place(self.name)
        line, column, end_line, end_column = span
        return Place(
            self.name,
            self.line(line),
            self._character(line, column) + 1,
            self.line(end_line),
            self._character(end_line, end_column) + 1,
        )

    def replacement(self, span: Span | None, found: Misspelt | None) -> Replacement | None:
        """The fix that writes what is meant within the span, or for the keyword directly before it; None where that
        does not stand there once, on one line."""
        if span is None or found is None or not found.meant or span[0] != span[2]:
            return None
        place, text, word = self.place(span), self._text_of(span[0]), re.escape(found.name)
        if found.is_keyword:
            before = re.search(rf"(?<!\w){word}\s*=\s*\(*\Z", text[: place.column - 1])
            starts = [before.start()] if before is not None else []
        else:
            starts = [match.start() for match in re.finditer(rf"(?<!\w){word}(?!\w)", text)]
            starts = [start for start in starts if place.column - 1 <= start < place.end_column - 1]
        return self._replaced(place.line, starts[0], found.name, found.meant) if len(starts) == 1 else None

    def _replaced(self, line: int, start: int, old: str, new: str) -> Replacement:
        return Replacement(Place(self.name, line, start + 1, line, start + 1 + len(old)), old, new)

    def _text_of(self, line: int) -> str:
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def _character(self, line: int, column: int) -> int:
        if not 0 < line <= len(self.lines):
            return column
        text = self.lines[line - 1]
        if text.isascii():
            return column
        return len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))


def split_lines(text: str) -> list[str]:
    """The lines as Python's parser counts them: str.splitlines would also split at form feeds and other separators."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def span_of(node: ast.AST) -> Span:
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
