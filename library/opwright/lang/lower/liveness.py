"""Which names a function still reads behind one of its statements.

Where paths meet, and where a loop goes on, a name needs one value of one type only if something reads it later. Of the
names that nothing reads the types have nothing to do with each other, or the order of statements would decide about
them.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from opwright.lang.grammar import inner_nodes
from opwright.lang.source import Span

if TYPE_CHECKING:
    from opwright.lang.lower.loop_liveness import LoopLiveness

Place = tuple[int, int]

SCOPES = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp))
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_ANYWHERE: Place = (1 << 62, 0)  # a function inside reads it: where it is called is not looked for
_APART = SCOPES | {ast.JoinedStr}  # what is looked at as a whole


class Liveness:
    """Of one function, in the order of its text. Where a name is bound again before it is read is looked at for loops
    alone, and only where one has been met that reads it later: most names are not."""

    __slots__ = ("_body", "_loop_ends", "_loop_starts", "_of_loops", "_places")

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self._body = body
        self._of_loops: LoopLiveness | None = None
        self._places: dict[str, list[Place]] = {}  # where each name is read, in order
        self._loop_starts: list[Place] = []  # of loops that stand in no other, in order
        self._loop_ends: list[Place] = []
        self._collect(body)
        for places in self._places.values():
            places.sort()

    def is_read_after(self, name: str, span: Span) -> bool:
        """Whether anything may read the name behind a statement, in the next trip of a loop around it included."""
        around = self._loop_around(span)
        return self._is_read_from(name, (span[2], span[3]) if around is None else around)

    def is_read_by_loop(self, name: str, span: Span) -> bool:
        """Whether a trip of a loop, or anything behind it, may read what the name was before."""
        place = span[0], span[1]
        return self._is_read_from(name, self._loop_around(span) or place) and self._loops().is_handed_on(name, place)

    def is_read_going_on_alone(self, name: str, span: Span, breaks: bool, continues: bool) -> bool:
        """Whether anything may read the name behind a statement, and nothing where a path leads that leaves a loop's
        trip beside it, by a `break` or a `continue`."""
        return self._loops().is_read_going_on_alone(name, (span[0], span[1]), breaks, continues)

    def _loops(self) -> LoopLiveness:
        if self._of_loops is None:
            from opwright.lang.lower.loop_liveness import LoopLiveness

            self._of_loops = LoopLiveness(self._body)
        return self._of_loops

    def _is_read_from(self, name: str, place: Place) -> bool:
        places = self._places.get(name)
        return places is not None and bisect_left(places, place) < len(places)

    def _loop_around(self, span: Span) -> Place | None:
        """Where the outermost loop begins that holds a statement, or is it."""
        start = (span[0], span[1])
        index = bisect_right(self._loop_starts, start) - 1
        return self._loop_starts[index] if index >= 0 and start < self._loop_ends[index] else None

    def _collect(self, body: Sequence[ast.stmt]) -> None:
        """Notes what is read in a body, and where its outermost loops begin and end."""
        pending: list[ast.AST] = list(reversed(body))
        while pending:
            node = pending.pop()
            if isinstance(node, LOOPS):
                self._loop_starts.append((node.lineno, node.col_offset))
                self._loop_ends.append(max(_end_of(node), self._note_all(node)))
            else:
                pending += reversed(self._note(node))

    def _note_all(self, loop: ast.stmt) -> Place:
        """Notes what is read anywhere in a loop; gives where it ends. The nodes of a template have places in their
        order, and no ends but their own."""
        last: Place = (0, 0)
        pending: list[ast.AST] = [loop]
        while pending:
            node = pending.pop()
            if isinstance(node, (ast.stmt, ast.expr)):
                last = max(last, _end_of(node) if type(node) not in _APART else _last_end(node))
            pending += self._note(node)
        return last

    def _note(self, node: ast.AST) -> Sequence[ast.AST]:
        """Notes what a node reads; gives the nodes inside of it that are still to be looked at."""
        kind = type(node)
        if isinstance(node, ast.Name):
            if type(node.ctx) is not ast.Store:
                self._places.setdefault(node.id, []).append((node.lineno, node.col_offset))
            return ()
        if isinstance(node, ast.Constant):
            return ()
        if kind in SCOPES:
            self._note_names(node, _ANYWHERE)
            return ()
        if kind is ast.JoinedStr:  # of what stands inside of one Python has not always known the place
            self._note_names(node, _last_end(node))
            return ()
        if isinstance(node, ast.AugAssign):
            self._note_updated(node, None)
        return inner_nodes(node)

    def _note_names(self, node: ast.AST, place: Place) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, ast.AugAssign):
                self._note_updated(inner, place)
            elif isinstance(inner, ast.Name) and type(inner.ctx) is not ast.Store:
                self._places.setdefault(inner.id, []).append(place)

    def _note_updated(self, statement: ast.AugAssign, place: Place | None) -> None:
        """`x += y` reads what it binds."""
        target = statement.target
        if isinstance(target, ast.Name):
            self._places.setdefault(target.id, []).append(place or (target.lineno, target.col_offset))


def _last_end(node: ast.AST) -> Place:
    return max(_end_of(inner) for inner in ast.walk(node) if isinstance(inner, (ast.stmt, ast.expr)))


def _end_of(node: ast.stmt | ast.expr) -> Place:
    return (node.end_lineno or 0, node.end_col_offset or 0)
