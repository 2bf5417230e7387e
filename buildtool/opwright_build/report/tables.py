"""Plain text tables: columns as wide as they need to be, two spaces apart."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.diagnostics.text import printable


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """A table with a line under its head; columns whose index is in `right` are aligned to the right. A row is one
    line, whatever a text in it is made of: some are other people's."""
    rows = [[printable(cell).replace("\n", " ") for cell in row] for row in rows]
    widths = [max(len(row[index]) for row in (head, *rows)) for index in range(len(head))]
    lines = [_line(head, widths, right), "  ".join("-" * width for width in widths)]
    lines += [_line(row, widths, right) for row in rows]
    return "\n".join(lines)


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 version`, `42 versions`, `1,234 bytes`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    padded = [
        cell.rjust(width) if index in right else cell.ljust(width)
        for index, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
