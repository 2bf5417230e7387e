"""Cells and ranges, as Markdown writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Text for a cell of a table: on one line, without what would end the cell."""
    return " ".join(text.split()).replace("|", "\\|")


def code(text: str) -> str:
    """Text as code, whatever it holds; an empty one stays empty."""
    if not text:
        return ""
    fence = "`" * (max((len(run) for run in _runs(text)), default=0) + 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return cell(f"{fence}{padding}{text}{padding}{fence}")


def codes(texts: Iterable[str]) -> str:
    return ", ".join(code(text) for text in texts)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; none where it has no rows. Cells are Markdown already."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines] if lines else []


def fenced(language: str, text: str) -> list[str]:
    """The lines of a block of code; its fence is longer than any in the text."""
    fence = "`" * max(3, max((len(run) for run in _runs(text)), default=0) + 1)
    return [f"{fence}{language}", *text.rstrip("\n").split("\n"), fence]


def span(first: int, last: int) -> str:
    """`13-18`."""
    return str(first) if first == last else f"{first}-{last}"


def spans(numbers: Iterable[int]) -> str:
    """`13-15, 17`."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(span(first, last) for first, last in found)


def _runs(text: str) -> list[str]:
    return [run for run in "".join(char if char == "`" else " " for char in text).split(" ") if run]
