"""Which names a function still reads behind one of its statements.

Where paths meet, and where a loop goes on, a name needs one value of one type only if something reads it later. Of the
names that nothing reads the types have nothing to do with each other, or the order of statements would decide about
them.

Of loops it is worked out as every compiler does: a name is live where a path leads from to a read of it, on which
nothing binds it. How each statement uses names follows from the statements inside of it, and what is live behind each
from those around it: two walks over the function. Sets of names are ints, of a bit for each.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from opwright.lang.text.grammar import blocks_of, inner_nodes, leaves, names_bound_by, statements_in
from opwright.lang.text.source import Span

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


# ------------------------------------------------------------------------------------------------------- of loops


_ALL = -1


class _Behind(NamedTuple):
    """What is live behind a statement, and where `break` and `continue` lead. A loop carries what is read behind it, so
    that this counts as read by its next trip; `resumed` is what a trip, or what follows a last one, does read."""

    next: int
    broke: int
    continued: int
    resumed: int


class _Use(NamedTuple):
    """How a statement or block uses names: `read` before they are bound, and those that it may leave as they were
    where it ends, breaks or continues."""

    read: int
    ends: int = 0
    breaks: int = 0
    continues: int = 0

    def live(self, behind: _Behind) -> int:
        """What is live before it."""
        passed = (self.ends & behind.next) | (self.breaks & behind.broke) | (self.continues & behind.continued)
        return self.read | passed

    def then(self, other: _Use) -> _Use:
        """One after the other."""
        return _Use(
            self.read | (self.ends & other.read),
            self.ends & other.ends,
            self.breaks | (self.ends & other.breaks),
            self.continues | (self.ends & other.continues),
        )


_NOTHING = _Use(0, _ALL)


def _one_of(uses: Iterable[_Use]) -> _Use:
    found = _Use(0)
    for use in uses:
        found = _Use(*(one | other for one, other in zip(found, use, strict=True)))
    return found


class LoopLiveness:
    """Of one function. What functions inside of it read counts as read everywhere: where they are called is not looked
    for."""

    __slots__ = ("_anywhere", "_behind", "_bits", "_entered", "_uses")

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self._bits: dict[str, int] = {}
        self._anywhere = 0
        self._uses: dict[ast.stmt, _Use] = {}
        self._entered: dict[Place, int] = {}  # by loop: what is live where a trip begins, or behind the loop
        self._behind: dict[Place, _Behind] = {}  # by statement
        statements = list(statements_in(body))
        for statement in reversed(statements):
            self._uses[statement] = self._use(statement)
        self._place(body, _Behind(0, 0, 0, 0))
        for statement in statements:
            self._place_blocks(statement)

    def is_handed_on(self, name: str, loop: Place) -> bool:
        """Whether a trip of a loop, or what follows the loop, reads a value that the name had before."""
        return self._holds(self._entered.get(loop, _ALL), name)

    def is_read_going_on_alone(self, name: str, statement: Place, breaks: bool, continues: bool) -> bool:
        """Whether anything reads the name behind a statement, and nothing where a `break` or `continue` beside it
        leads."""
        behind = self._behind.get(statement)
        if behind is None:
            return False
        beside = (behind.broke if breaks else 0) | (behind.resumed if continues else 0)
        return self._holds(behind.next, name) and not self._holds(beside, name)

    def _holds(self, names: int, name: str) -> bool:
        return bool((names | self._anywhere) & self._bits.get(name, 0))

    # ------------------------------------------------------------------------------------- from the inside out

    def _use(self, statement: ast.stmt) -> _Use:
        if isinstance(statement, ast.Break):
            return _Use(0, breaks=_ALL)
        if isinstance(statement, ast.Continue):
            return _Use(0, continues=_ALL)
        if isinstance(statement, ast.AnnAssign) and statement.value is None:
            return _NOTHING  # it says of which type the name is, and binds nothing
        read, bound = self._read(statement), self._names(names_bound_by(statement))
        blocks = [self._of_block(block) for block in blocks_of(statement)]
        if isinstance(statement, LOOPS):
            body, orelse = blocks
            trip = _Use(0, ~bound).then(body)
            return _Use(read | trip.read | orelse.read, orelse.ends | trip.breaks, orelse.breaks, orelse.continues)
        if leaves([statement]):
            return _Use(read)
        if not blocks:
            return _Use(read, ~bound)
        if not isinstance(statement, ast.If):  # perhaps none of its blocks is taken
            blocks.append(_NOTHING)
        return _Use(read, _ALL).then(_one_of(blocks))

    def _of_block(self, block: Sequence[ast.stmt]) -> _Use:
        found = _NOTHING
        for statement in reversed(block):
            found = self._uses[statement].then(found)
        return found

    def _read(self, statement: ast.stmt) -> int:
        """What a statement reads itself, not the statements of its blocks."""
        found: list[str] = []
        pending: list[ast.AST] = [statement]
        while pending:
            node = pending.pop()
            if type(node) in SCOPES:
                self._anywhere |= self._names(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
                continue
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Store):
                    found.append(node.id)
                continue
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.append(node.target.id)
            pending += [inner for inner in inner_nodes(node) if not isinstance(inner, ast.stmt)]
        return self._names(found)

    def _names(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            found |= self._bits.setdefault(name, 1 << len(self._bits))
        return found

    # ------------------------------------------------------------------------------------- from the outside in

    def _place(self, block: Sequence[ast.stmt], behind: _Behind) -> None:
        """Notes what is live behind each statement of a block. The loops of a comprehension may stand in one place."""
        for statement in reversed(block):
            place = _place_of(statement)
            before = self._behind.get(place, _Behind(0, 0, 0, 0))
            self._behind[place] = _Behind(*(one | other for one, other in zip(before, behind, strict=True)))
            behind = behind._replace(next=self._uses[statement].live(behind))

    def _place_blocks(self, statement: ast.stmt) -> None:
        blocks = blocks_of(statement)
        if not blocks:
            return
        place = _place_of(statement)
        behind = self._behind[place]
        if not isinstance(statement, LOOPS):
            for block in blocks:
                self._place(block, behind)
            return
        body, orelse = blocks
        trip = _Use(0, ~self._names(names_bound_by(statement))).then(self._of_block(body))
        tested = self._read(statement) if isinstance(statement, ast.While) else 0
        resumed = tested | trip.read | self._of_block(orelse).live(behind) | (trip.breaks & behind.next)
        again = resumed | behind.next
        self._entered[place] = self._entered.get(place, 0) | again
        self._place(body, _Behind(again, behind.next, again, resumed))
        self._place(orelse, behind)


def _place_of(statement: ast.stmt) -> Place:
    return statement.lineno, statement.col_offset
