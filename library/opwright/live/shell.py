"""What was typed in Python's plain shell, which keeps no text: its lines are those of readline's history."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType

_MOST_LINES = 10_000  # of the history, the newest ones


def typed_text(code: CodeType, makes_it: Callable[[str], bool]) -> str | None:
    """The statement that defined a function, among what was typed; None when it is not there.

    `makes_it` says whether a text makes that very function, so nothing but its own text is found.
    """
    readline = sys.modules.get("readline")
    if readline is None:
        return None
    length = readline.get_current_history_length()
    lines = [readline.get_history_item(index) or "" for index in range(max(1, length - _MOST_LINES), length + 1)]
    for first in range(len(lines) - 1, -1, -1):
        if not lines[first].startswith(("@", "def ")):
            continue
        text = "\n".join(_block(lines[first:])) + "\n"
        if code.co_name in text and makes_it(text):
            return text
    return None


def _block(lines: list[str]) -> list[str]:
    """The first statement of the lines: decorators, the `def`, and what is indented."""
    block: list[str] = []
    defined = False
    for line in lines:
        if line[:1] not in (" ", "\t", ")", "") and (defined or not line.startswith(("@", "def "))):
            break
        defined = defined or line.startswith("def ")
        block.append(line)
    return block
