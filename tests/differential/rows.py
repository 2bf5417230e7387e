"""Which rows of docs/language.md a program has, found in its syntax tree."""

from __future__ import annotations

from tests.differential.program import Program

ROWS: tuple[str, ...] = ()


def rows_of(program: Program) -> set[str]:
    return set()
