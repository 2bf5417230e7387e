"""Which names a function still reads behind one of its statements.

Where paths meet, and where a loop goes on, a name needs one value of one type only if something reads it later. Of the
names that nothing reads the types have nothing to do with each other, or the order of statements would decide about
them.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TypeGuard

from opwright.lang.source import Span

_Place = tuple[int, int]

_ANYWHERE: _Place = (1 << 62, 0)  # a function inside reads it: where it is called is not looked for
_SCOPES = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp))
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class Liveness:
    """Of one function, in the order of its text: where a name is bound again before it is read is not looked at."""

    __slots__ = ("_loop_ends", "_loop_starts", "_places")

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self._places: dict[str, list[_Place]] = {}  # where each name is read, in order
        self._loop_starts: list[_Place] = []  # of loops that stand in no other, in order
        self._loop_ends: list[_Place] = []
        self._collect(body)
        for places in self._places.values():
            places.sort()

    def is_read_after(self, name: str, span: Span) -> bool:
        """Whether anything may read the name behind a statement, in the next trip of a loop around it included."""
        around = self._loop_around(span)
        return self._is_read_from(name, (span[2], span[3]) if around is None else around)

    def is_read_by_loop(self, name: str, span: Span) -> bool:
        """Whether a loop, or anything behind it, may read the name that the loop binds."""
        return self._is_read_from(name, self._loop_around(span) or (span[0], span[1]))

    def _is_read_from(self, name: str, place: _Place) -> bool:
        places = self._places.get(name)
        return places is not None and bisect_left(places, place) < len(places)

    def _loop_around(self, span: Span) -> _Place | None:
        """Where the outermost loop begins that holds a statement, or is it."""
        start = (span[0], span[1])
        index = bisect_right(self._loop_starts, start) - 1
        return self._loop_starts[index] if index >= 0 and start < self._loop_ends[index] else None

    def _collect(self, body: Sequence[ast.stmt]) -> None:
        pending: list[ast.AST] = list(reversed(body))
        last: _Place = (0, 0)  # where the last loop ends
        while pending:
            node = pending.pop()
            kind = type(node)
            if isinstance(node, _LOOPS) and (node.lineno, node.col_offset) >= last:
                last = _end_of(node)
                self._loop_starts.append((node.lineno, node.col_offset))
                self._loop_ends.append(last)
            if kind in _SCOPES:
                for inner in ast.walk(node):
                    self._note(inner, _ANYWHERE)
            elif isinstance(node, ast.JoinedStr):  # of what stands inside of one Python has not always known the place
                behind = _end_of(node)
                for inner in ast.walk(node):
                    self._note(inner, behind)
            else:
                self._note(node, None)
                pending.extend(reversed(list(ast.iter_child_nodes(node))))

    def _note(self, node: ast.AST, place: _Place | None) -> None:
        if isinstance(node, ast.AugAssign):
            node = node.target
        elif not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store):
            return
        if isinstance(node, ast.Name):
            self._places.setdefault(node.id, []).append(place or (node.lineno, node.col_offset))


def _end_of(node: ast.stmt | ast.expr) -> _Place:
    """Behind all that a node holds. The nodes of a template have places in their order, and no ends but their own."""
    ends = ((inner.end_lineno or 0, inner.end_col_offset or 0) for inner in ast.walk(node) if _has_place(inner))
    return max(ends)


def _has_place(node: ast.AST) -> TypeGuard[ast.stmt | ast.expr]:
    return isinstance(node, (ast.stmt, ast.expr))
