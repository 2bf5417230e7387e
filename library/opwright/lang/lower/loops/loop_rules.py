"""`for` and `while` as a `Loop`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from opwright.lang import ir
from opwright.lang.lower.expressions.conditions import as_scalar, choose, lower_condition, truth
from opwright.lang.lower.loops.body_loops import BodyLoop
from opwright.lang.lower.numbers.number_operands import describe, is_number, number_kind
from opwright.lang.lower.paths.flow import RETURNED
from opwright.lang.lower.rules import bind_target, evaluates, lowers
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.statements.statement_rules import lower_block
from opwright.lang.lower.statements.unroll import try_loop, unroll
from opwright.lang.lower.values.list_changes import grown_names
from opwright.lang.lower.values.sequences import is_list
from opwright.lang.meaning.operands import Environment, NoValue, Operand, Poison, Unbound
from opwright.lang.text.grammar import called_by_name, has_break, name_of, names_in_expressions
from opwright.lang.text.source import span_of
from opwright.lang.text.syntax import bound_names

if TYPE_CHECKING:
    from opwright.lang.lower.loops.run_over import Items, Range


@lowers(ast.For)
def _for(low: Lowering, statement: ast.For, env: Environment) -> None:
    from opwright.lang.lower.loops.iterables import what_is_run_over  # functions without loops do without them
    from opwright.lang.lower.loops.run_over import Items

    _check_growth(low, statement, env)
    found = what_is_run_over(low, statement.iter, env)
    if found.listed is not None:
        unroll(low, statement, found.listed, env)
        return
    loop = _ItemLoop(low, statement, env, found) if isinstance(found, Items) else _RangeLoop(low, statement, env, found)
    if found.may_be_static:
        try_loop(low, statement, env, found.bounds, loop.run, loop.items)
    else:
        loop.run()


@lowers(ast.While)
def _while(low: Lowering, statement: ast.While, env: Environment) -> None:
    if low.scope.module.binds_in_expressions and names_in_expressions([statement.test]):
        raise low.error(
            "OW304",
            "`:=` in the condition of a loop is not part of the language",
            span_of(statement.test),
            reason="it is evaluated once more than the body",
            help="write `while True:`, and assign and `break` in the body",
        )
    first = lower_condition(low, statement.test, env)
    if first is False:
        lower_block(low, statement.orelse, env)
    else:
        _WhileLoop(low, statement, env, first).run()


def _check_growth(low: Lowering, statement: ast.For, env: Environment) -> None:
    """Refuses a body that changes a list which the loop runs over: Python would see the items that are added."""
    called = called_by_name(statement.iter)
    lazy = called[1].args if called is not None and called[0] in ("enumerate", "zip", "reversed") else [statement.iter]
    names = set(map(name_of, lazy))
    for name in grown_names(statement.body):
        if name in names and is_list(env.get(name)):
            raise low.error(
                "OW344",
                f"`{name}` changes while the loop runs over it",
                span_of(statement.iter),
                reason="in Python the loop would run over what the list is by then",
                help=f"run over a copy: `for ... in {name} + []`, or loop over `range(...)`",
            )


class _ForLoop(BodyLoop):
    """`for`: what it runs over tells the number of trips and, by the number of a trip, what the target's names are."""

    statement: ast.For

    def __init__(self, low: Lowering, statement: ast.For, env: Environment, over: Range) -> None:
        super().__init__(low, statement, env, [statement.target])
        self.over = over
        self.may_be_static = over.may_be_static
        self.names = bound_names(low.scope.module, [statement.target])
        self.before = {name: self.outside(name) for name in self.names}
        # Whether the names are what the last trip began with, which is known, and need not be carried for that.
        self.binds_last = over.last is not None and not has_break(statement.body)
        if self.binds_last and set(self.names) & set(bound_names(low.scope.module, statement.body)):
            self.binds_last = False

    def run(self) -> None:
        if self.over.trips == 0:
            return lower_block(self.low, self.statement.orelse, self.env)
        return super().run()

    def bind(self, index: int | ir.Value, env: Environment) -> None:
        """Binds what the trip of that number begins with."""
        raise NotImplementedError

    def items(self, indices: range) -> Sequence[Operand]:
        """What the trips run with, where they are copies."""
        raise NotImplementedError

    def without_trip(self, name: str) -> Unbound:
        """What a name is after the loop that its trips alone bind, or that has another type in them than before."""
        before = self.before[name]
        missing_on = "when the loop makes no trip"
        if isinstance(before, NoValue):
            return Unbound(missing_on)
        return Unbound(missing_on, conflict=f"it is {describe(before)} {missing_on}, and what it runs over after one")

    def trips(self) -> ir.Value | None:
        trips = self.over.trips
        if not isinstance(trips, int):
            return trips
        data = ir.TensorData(self.low.element_of("int64"), (), trips.to_bytes(8, "little"))
        return self.low.constant(data, self.span)

    def known_trips(self) -> int | None:
        return self.over.known_trips

    def makes_trips(self) -> bool:
        return self.over.makes_trips

    def computed_bounds(self) -> tuple[ir.Value, ...]:
        return tuple(bound for bound in self.over.bounds if isinstance(bound, ir.Value))

    def enter(self, trip: ir.Value, scope: Environment) -> None:
        self.bind(trip, scope)

    def again(self, scope: Environment, goes_on: ir.Value | bool) -> ir.Value:
        return self.constant_bool(goes_on) if isinstance(goes_on, bool) else goes_on

    def after(self) -> None:
        trips = self.over.known_trips
        if self.binds_last and trips is not None:
            self.bind(trips - 1, self.env)
            return
        for name in self.names:
            if name not in self.carried:
                self.env[name] = self.without_trip(name)


class _RangeLoop(_ForLoop):
    """`for name in range(...)`."""

    def __init__(self, low: Lowering, statement: ast.For, env: Environment, over: Range) -> None:
        super().__init__(low, statement, env, over)
        self.name = name_of(statement.target) or ""

    def run(self) -> None:
        if not self.name:
            raise self.low.error("OW328", "the items of a range are single numbers", span_of(self.statement.target))
        super().run()

    def entering(self, name: str) -> Operand:
        if name == self.name and (self.binds_last or not is_number(self.env.get(name))):
            # The name has a value after at least one trip, whatever it was before.
            return 0 if self.over.makes_trips and not self.binds_last else self.without_trip(name)
        return super().entering(name)

    def bind(self, index: int | ir.Value, env: Environment) -> None:
        env[self.name] = self.over.item(self.low, index, self.span)

    def items(self, indices: range) -> Sequence[Operand]:
        return indices


class _ItemLoop(_ForLoop):
    """`for y in ys`, where `ys` is a sequence or a tensor, whose rows they are."""

    over: Items

    def __init__(self, low: Lowering, statement: ast.For, env: Environment, over: Items) -> None:
        super().__init__(low, statement, env, over)
        target = statement.target
        self.number = ""  # the name that stands for the number of the trip
        if over.numbered is not None and isinstance(target, (ast.Tuple, ast.List)):
            self.number = name_of(target.elts[0]) or ""

    def run(self) -> None:
        if self.makes_trips() and not self.binds_last:
            self.bind(0, self.env)  # each name has a value after a trip at least, whatever it was before
        super().run()

    def entering(self, name: str) -> Operand:
        before = super().entering(name)
        if name not in self.names or isinstance(before, Poison):
            return before
        return self.without_trip(name) if self.binds_last or not self.may_enter(name, before) else before

    def may_enter(self, name: str, before: Operand) -> bool:
        """Whether a value that a name has before the loop is of the kind that it has after a trip."""
        if name == self.number:
            return is_number(before) and number_kind(before) is ir.NumberKind.INT
        item = self.over.type
        if not isinstance(before, ir.Value) or before.optional or item is None or item.element is None:
            return False
        return item.same_as(before.type)

    def bind(self, index: int | ir.Value, env: Environment) -> None:
        bind_target(self.low, self.statement.target, self.over.item(self.low, index, self.span), env)

    def items(self, indices: range) -> Sequence[Operand]:
        return [self.over.item(self.low, index, self.span) for index in indices]


class _WhileLoop(BodyLoop):
    """`while condition`: the condition is evaluated before the first trip and at the end of each that goes on."""

    statement: ast.While

    def __init__(self, low: Lowering, statement: ast.While, env: Environment, first: ir.Value | bool) -> None:
        super().__init__(low, statement, env, [])
        self._first = first
        self._endless = first is True

    def first(self) -> ir.Value:
        return self.flag(self._first)

    def makes_trips(self) -> bool:
        return self._first is True

    def is_endless(self) -> bool:
        return self._endless

    def flag(self, condition: ir.Value | bool) -> ir.Value:
        """The condition with rank 0, which a Loop needs and one element of a higher rank has not."""
        if isinstance(condition, bool):
            return self.constant_bool(condition)
        return as_scalar(self.low, condition, self.span)

    def again(self, scope: Environment, goes_on: ir.Value | bool) -> ir.Value:
        low = self.low
        if goes_on is False:
            return self.constant_bool(False)

        def test() -> Operand:
            condition = lower_condition(low, self.statement.test, scope)
            self._endless = self._endless and condition is True
            return condition

        found = test() if goes_on is True else choose(low, goes_on, self.span, (test, partial(bool, False)))
        return self.flag(truth(low, found, self.span))

    def after(self) -> None:
        """`while True` without `break` is left by `return` alone, so nothing behind it is reached."""
        if self._endless and RETURNED in self.env and not has_break(self.statement.body):
            self.env[RETURNED] = True


# ---------------------------------------------------------------------------------------------------- comprehensions

_LISTED: tuple[type[ast.ListComp | ast.GeneratorExp], ...] = (ast.ListComp, ast.GeneratorExp)


@evaluates(*_LISTED)
def _comprehension(low: Lowering, node: ast.ListComp | ast.GeneratorExp, env: Environment) -> Operand:
    from opwright.lang.lower.loops.comprehensions import comprehend  # which few functions need

    return comprehend(low, node, env)


@evaluates(ast.DictComp)
def _dictionary(low: Lowering, node: ast.DictComp, env: Environment) -> Operand:
    from opwright.lang.lower.loops.comprehensions import comprehend_dictionary  # which few functions need

    return comprehend_dictionary(low, node, env)
