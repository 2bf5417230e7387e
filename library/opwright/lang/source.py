"""Source text and places in it."""

from __future__ import annotations

import ast
from functools import cached_property

from opwright.diagnostics.diagnostic import Place

# (line, column, end line, end column): lines from 1, columns in UTF-8 bytes from 0, as Python's ast counts.
Span = tuple[int, int, int, int]


class Source:
    """One file's text under the name that diagnostics show."""

    def __init__(self, name: str, text: str, first_line: int = 1) -> None:
        self.name = name
        self.text = text
        self.first_line = first_line

    @cached_property
    def lines(self) -> list[str]:
        return split_lines(self.text)

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
