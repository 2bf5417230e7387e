"""Whether two texts are the same program: comments, blank lines and layout are nothing to what is compiled of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import lru_cache

from opwright.lang.text.source import Source, span_of
from opwright.lang.text.syntax import Module, parse

MARK = b"opwright:"  # of comments that are heeded
_COOKIE = b"coding"  # in one of the first two lines a comment may tell the encoding


def same_code(old: bytes, new: bytes) -> bool:
    """Whether the compiler sees the same tree in both files, places aside, and no comment in either is heeded."""
    return _moved(old, new) is not None


def moved_places(path: str, old: bytes, new: bytes) -> dict[str, str] | None:
    """Where each place of the old text of a file is in the new one, as findings show places; None where the two are not
    the same code, or where one place has become two or two have become one."""
    moved = _moved(old, new)
    return None if moved is None else {f"{path}{was}": f"{path}{now}" for was, now in moved.items()}


@lru_cache(maxsize=8)
def _moved(old: bytes, new: bytes) -> Mapping[str, str] | None:
    """The same without the path, once for all that ask about an edit."""
    before, after = _parsed(old), _parsed(new)
    if before is None or after is None or before[1] != after[1]:
        return None
    moved: dict[str, str] = {}
    for was, now in zip(ast.walk(before[0].tree), ast.walk(after[0].tree), strict=True):
        if isinstance(was, ast.stmt | ast.expr | ast.arg | ast.keyword):
            place = str(before[0].source.place(span_of(was)))
            if moved.setdefault(place, there := str(after[0].source.place(span_of(now)))) != there:
                return None
    return moved if len(set(moved.values())) == len(moved) else None


def _parsed(data: bytes) -> tuple[Module, str] | None:
    """A file's module and its tree as text; None for one that cannot be compiled, or with comments that are heeded."""
    if MARK in data or any(_COOKIE in line for line in re.split(rb"\r\n|\r|\n", data, maxsplit=2)[:2]):
        return None
    try:
        module = parse(Source("", data.decode("utf-8-sig")))
        return (module, ast.dump(module.tree)) if isinstance(module, Module) else None
    except (ValueError, RecursionError):  # no UTF-8; numbers of too many digits, expressions nested too deep
        return None
