"""The texts of a function in a generated stub: its `def` line, and its docstring as a literal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opwright.bundle.function_words import visible

_WIDTH = 110
_QUOTES = '"""'


def def_lines(name: str, parameters: Sequence[str], result: str) -> list[str]:
    """The `def` line, or a line for each parameter where it would be too long."""
    whole = f"def {name}({', '.join(parameters)}) -> {result}:"
    if len(whole) <= _WIDTH:
        return [whole]
    return [f"def {name}(", *(f"    {part}," for part in parameters), f") -> {result}:"]


def escape(text: str) -> str:
    """The text inside a string literal of three quotes: nothing in it ends the literal or is invisible."""
    return visible(text).replace(_QUOTES, '\\"\\"\\"')


def doc_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """A docstring's lines, unindented."""
    return tuple(escape(line) for line in lines)
