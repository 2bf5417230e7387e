"""Breaking lines that are too long."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 110


def call_lines(indent: str, head: str, items: Sequence[str], tail: str) -> list[str]:
    """A call, or anything else in brackets, over several lines: its items in one of them, else each in its own."""
    inner = f"{indent}    "
    joined = f"{inner}{', '.join(items)}"
    if len(joined) <= WIDTH:
        return [f"{indent}{head}", joined, f"{indent}{tail}"]
    return [f"{indent}{head}", *(f"{inner}{item}," for item in items), f"{indent}{tail}"]
