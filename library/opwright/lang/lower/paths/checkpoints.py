"""Checkpoints: the states of a lowering before each statement of a function, to which it may go back.

A question that only callers answer, such as the rank of a parameter, is met in the middle of a function. What has been
lowered before the first statement that mentions the parameter is the same for every answer: lowering goes back to that
statement and is continued once for each. A checkpoint costs a few numbers; the trail has everything else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar, overload

from opwright.lang.lower.paths import speculate
from opwright.lang.lower.rules import Rest
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.lowering_parts import LoopPlans
from opwright.lang.meaning.operands import Bindings, Environment, LoopKey, Operand
from opwright.lang.text.syntax import Module, names_of
from opwright.lang.trail import Trail

Default = TypeVar("Default")


class RecordedEnvironment(dict[str, Operand]):
    """The environment of a function, every change of which is on the trail, as far as a mark stands before it: a name
    in an unrolled loop does not keep all that it has stood for."""

    __slots__ = ("_noted", "_trail")

    def __init__(self, trail: Trail) -> None:
        super().__init__()
        self._trail = trail
        self._noted: dict[str, int] = {}  # by the names that have changed, the number of marks before

    def __setitem__(self, name: str, operand: Operand) -> None:
        marks = self._trail.marks
        if self._noted.get(name) == marks:
            super().__setitem__(name, operand)
        else:
            self._noted[name] = marks
            self._trail.put(self, name, operand)

    def __delitem__(self, name: str) -> None:
        self._trail.remove(self, name)

    @overload
    def pop(self, name: str, /) -> Operand: ...

    @overload
    def pop(self, name: str, default: Operand, /) -> Operand: ...

    @overload
    def pop(self, name: str, default: Default, /) -> Operand | Default: ...

    def pop(self, name: str, *default: Default) -> Operand | Default:
        return self._trail.remove(self, name) if name in self else super().pop(name, *default)

    def update(self, other: Bindings = (), /, **operands: Operand) -> None:
        made = dict(other, **operands)
        if self.keys().isdisjoint(made):
            self._trail.fill(self, made)
            return
        for name, operand in made.items():
            self[name] = operand


class Checkpoint:
    """The state before `statements[index]`, the statement number `place` on the path that lowering takes; `after` is
    what follows its block.

    `facts` are the answers under which it was reached. `before` is the checkpoint of the statement before. `is_split`:
    the statement chooses, when the function is built, a block whose statements have checkpoints of their own.
    """

    __slots__ = (
        "after",
        "before",
        "compare",
        "facts",
        "index",
        "is_split",
        "mark",
        "nodes",
        "place",
        "relied_on",
        "statements",
    )

    def __init__(
        self,
        low: Lowering,
        env: Environment,
        statements: Sequence[ast.stmt],
        index: int,
        after: Rest | None,
        before: Checkpoint | None,
        place: int,
    ) -> None:
        self.statements = statements
        self.index = index
        self.after = after
        self.is_split = False
        self.before = before
        self.place = place
        self.facts: Mapping[str, str] = low.facts
        self.mark = low.trail.mark
        self.nodes = low.nodes
        self.relied_on = len(low.target.relied_on)
        self.compare: Callable[[], None] | None = None
        if speculate.watch is not None:
            self.compare = speculate.watch(low, env)

    @property
    def rest(self) -> Rest:
        """Its statement, and what follows that."""
        return Rest(self.statements, self.index, self.after)

    def restore(self, low: Lowering) -> None:
        """Puts the lowering back into this state, whatever it was doing."""
        low.trail.back_to(self.mark)
        low.nodes = self.nodes
        low.facts = self.facts
        del low.target.relied_on[self.relied_on :]
        low.region, low.depth, low.statement = low.function.body, 0, self.place
        self.is_split = False
        low.call_frame, low.loops.copies = low.own_frame, ()
        low.loops.agreed.clear()  # under other facts loops may carry narrower types
        for entered in (low.open_regions, low.loops.attempts, low.loops.noting):
            entered.clear()
        if self.compare is not None:
            self.compare()

    def mentions(self, module: Module, names: Collection[str]) -> bool:
        """Whether the text of its statement has one of these names; of an `if` that is split, its condition."""
        statement = self.statements[self.index]
        root = statement.test if self.is_split and isinstance(statement, ast.If) else statement
        return not names_of(module, root).isdisjoint(names)


class Checkpoints:
    """The checkpoints on the path that the lowering of a function has taken so far."""

    def __init__(self, low: Lowering, env: Environment) -> None:
        self._low = low
        self._env = env
        self._module = low.scope.module
        self._path: list[Checkpoint] = []

    def reach(self, statements: Sequence[ast.stmt], index: int, after: Rest | None) -> None:
        """Notes that a statement of the function is about to be lowered."""
        path = self._path
        place = self._low.statement = len(path)
        before = path[-1] if path else None
        path.append(Checkpoint(self._low, self._env, statements, index, after, before, place))

    def split(self) -> None:
        """Notes that a block which the statement reached last has chosen is lowered next."""
        self._path[-1].is_split = True

    def first_mention(self, names: Collection[str]) -> Checkpoint | None:
        """That of the first statement with one of these names; the last one if there is none."""
        for checkpoint in self._path:
            if checkpoint.mentions(self._module, names):
                return checkpoint
        return self._path[-1] if self._path else None

    def back_to_loops(self, loops: Sequence[LoopKey]) -> Checkpoint:
        """Goes back to the first statement that has one of these loops; what is planned for them stays."""
        return self._back_to(min(self._low.loops.first_statements[key] for key in loops))

    def back_to(self, wanted: Checkpoint) -> Checkpoint:
        """Goes back to a checkpoint, or to the last one before it that is still on the path.

        Loops that had to be lowered in another form for the sake of a later statement are lowered anew; those that the
        path has not come back to, since it went back for their form, will be in any case.
        """
        loops = self._low.loops
        while wanted.place >= len(self._path) or self._path[wanted.place] is not wanted:
            assert wanted.before is not None, "the first statement is on every path"
            wanted = wanted.before
        place = wanted.place
        while True:
            late = [key for plan in loops.plans.all for key, cause in plan.items() if cause >= place]
            first = min((loops.first_statements[key] for key in late if key in loops.first_statements), default=place)
            if first >= place:
                break
            place = first
        loops.plans = LoopPlans(loops.plans, before=place)
        return self._back_to(place)

    def _back_to(self, place: int) -> Checkpoint:
        low = self._low
        found = self._path[place]
        found.restore(low)
        del self._path[place + 1 :]
        first_statements = low.loops.first_statements
        low.loops.first_statements = {key: where for key, where in first_statements.items() if where < place}
        return found
