"""Whether two texts are the same program: comments, blank lines and layout are nothing to what is compiled of it."""

from __future__ import annotations

import ast

from opwright.lang.source import span_of
from opwright.lang.syntax import Module

from opwright_build.compile.files import SpecFiles

MARK = b"opwright:"  # of comments that are heeded


def same_code(old: bytes, new: bytes) -> bool:
    """Whether the compiler sees the same tree in both files, places aside, and no comment in either is heeded."""
    return moved_places("", old, new) is not None


def moved_places(path: str, old: bytes, new: bytes) -> dict[str, str] | None:
    """Where each place of the old text of a file is in the new one, as findings show places; None where the two are not
    the same code, or where one place has become two or two have become one."""
    before, after = _parsed(path, old), _parsed(path, new)
    if before is None or after is None or before[1] != after[1]:
        return None
    moved: dict[str, str] = {}
    for was, now in zip(ast.walk(before[0].tree), ast.walk(after[0].tree), strict=True):
        if isinstance(was, ast.stmt | ast.expr | ast.arg | ast.keyword):
            place = str(before[0].source.place(span_of(was)))
            if moved.setdefault(place, there := str(after[0].source.place(span_of(now)))) != there:
                return None
    return moved if len(set(moved.values())) == len(moved) else None


def _parsed(path: str, data: bytes) -> tuple[Module, str] | None:
    """A file's module and its tree as text; None for one that cannot be compiled, or with comments that are heeded."""
    module = SpecFiles(lambda path: data).open(path)
    if not isinstance(module, Module) or MARK in data:
        return None
    try:
        return module, ast.dump(module.tree)
    except (ValueError, RecursionError):  # numbers of too many digits, expressions nested too deep
        return None
