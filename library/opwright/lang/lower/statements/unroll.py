"""Loops over static lists: a `Loop` where the body can do with that, else one copy of the body for each item. And how
loops are left: by themselves, which `else` follows, or by a `break`.

A name that the trips alone bind may have no value where a loop ends by itself, and one at each `break`: then `else`
binds it, or ends. Where something behind the loop reads such a name the loop is lowered again, and each `break` notes
what the names of the loop are there, under hidden names: control flow joins these as it does what is returned.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang.lower.paths.flow import BROKE, CONTINUED, RETURNED, at_break, end, is_at_break, none_set, revive
from opwright.lang.lower.paths.speculate import Trial, speculate
from opwright.lang.lower.rules import bind_target
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import ask_attribute, loop_key
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.lower.statements.statement_rules import branch, lower_block
from opwright.lang.meaning.operands import POISON, VACANT, AttributeOperand, Environment, Operand, Unbound
from opwright.lang.text.grammar import assigned_names, has_break, has_return
from opwright.lang.text.source import span_of
from opwright.lang.text.syntax import bound_names

# Copies are nested in the branches that go on down to this depth, since there more is known about them; what they hold
# nests too.
_DEEPEST_COPY = 18
# Of a loop of so many trips at most copies of its body are tried before its `break`s note what names are.
_FEW_TRIPS = 64


def try_loop(
    low: Lowering,
    statement: ast.For,
    env: Environment,
    bounds: Sequence[Operand],
    run: Callable[[], None],
    items: Callable[[range], Sequence[Operand]],
) -> None:
    """Lowers `for ... in range(*bounds)` as the `Loop` that `run` makes; unrolled where its body needs that, for what
    `items` makes of the range.

    The bounds are static ints or attributes of the function; those are asked for before the loop is unrolled.
    """
    key = loop_key(low, statement)
    if key not in low.loops.plans.unrolled:
        static = all(isinstance(bound, int) for bound in bounds)
        with speculate(low, env) as trial:
            try:
                run()
            except Poisoned as wrong:
                if not wrong.needs_copies_of(key) and (wrong.ends or not static or not _helps(trial)):
                    raise
            else:
                if not static or not _helps(trial):
                    trial.commit()
                    return
        low.loops.plans.unrolled[key] = low.statement
    known: list[int] = []
    for bound in bounds:
        if isinstance(bound, AttributeOperand):
            raise ask_attribute(bound, span_of(statement.iter))
        assert isinstance(bound, int)
        known.append(bound)
    unroll(low, statement, items(range(*known)), env)


def _helps(trial: Trial) -> bool:
    """Whether copies of the body may do what the `Loop` was refused for."""
    return any(Choice.LOOP_FORM in item.depends_on for item in trial.findings)


def unroll(low: Lowering, statement: ast.For, items: Sequence[Operand], env: Environment) -> None:
    """One copy of the body for each item, each guarded where a copy before it may have left the loop."""
    names = bound_names(low.scope.module, [statement.target, *statement.body])
    loop_exit = Exit(low, statement, env, names, len(items))
    with loop_exit.trip(names):
        _unroll_from(low, statement, items, env)
    loop_exit.leave()


def _unroll_from(low: Lowering, statement: ast.For, items: Sequence[Operand], env: Environment, first: int = 0) -> None:
    """`first` is the number of the first item."""
    span = span_of(statement)
    for index, item in enumerate(items):
        low.spend(1, span)
        env[CONTINUED] = False
        goes_on = none_set(low, env, (BROKE, RETURNED), span)
        if goes_on is False:
            return
        if goes_on is not True:
            left = len(items) - index
            nests = low.depth + left <= _DEEPEST_COPY
            rest = items[index:] if nests else items[index : index + 1]
            branch(low, goes_on, span, env, (partial(_unroll_revived, low, statement, rest, first + index), end))
            if nests:
                return
            continue
        mark = len(low.diagnostics)
        try:
            bind_target(low, statement.target, item, env)
        except Poisoned as wrong:
            wrong.recover()
            env.update(dict.fromkeys(assigned_names([statement.target]), POISON))
        with low.copy((*loop_key(low, statement), first + index)):
            lower_block(low, statement.body, env)
        if low.has_errors_since(mark):  # the other copies would say the same
            env.update(dict.fromkeys(bound_names(low.scope.module, [statement]), POISON))
            return
        left = len(items) - index - 1
        if low.nodes + left > low.most_nodes and not _may_leave(statement):
            low.spend(left, span)  # refused now, and not after a hundred thousand copies


def _may_leave(loop: ast.For) -> bool:
    return has_break(loop.body) or has_return(loop.body)


def _unroll_revived(low: Lowering, statement: ast.For, items: Sequence[Operand], first: int, env: Environment) -> None:
    revive(env)
    _unroll_from(low, statement, items, env, first)


# ----------------------------------------------------------------------------------------------- how loops end


class Exit:
    """The ways out of one loop. Made before its first trip; `names` are those that its trips may bind. Of a loop of
    `few` trips copies of its body are tried first: where all is known of the `break`s nothing is left of them."""

    __slots__ = ("_env", "_few", "_low", "_names", "_noted", "_outer", "_statement")

    def __init__(
        self,
        low: Lowering,
        statement: ast.For | ast.While,
        env: Environment,
        names: Sequence[str],
        trips: int | None,
    ) -> None:
        self._low = low
        self._statement = statement
        self._env = env
        self._names = names
        self._few = trips is not None and trips <= _FEW_TRIPS
        self._noted = loop_key(low, statement) in low.loops.plans.noted
        # The flags of the loop around this place; none where there is no such loop, so that `break` is refused there.
        self._outer: Environment = {flag: env[flag] for flag in (BROKE, CONTINUED) if flag in env}
        self._taken()

    @contextmanager
    def trip(self, names: Sequence[str]) -> Iterator[None]:
        """Around what is lowered of the body: its `break`s leave this loop, and note those names if they note any."""
        noting = self._low.loops.noting
        depth = len(noting)
        liveness, span = self._low.liveness(), span_of(self._statement)
        read = [name for name in names if liveness is None or liveness.is_read_after(name, span)] if self._noted else ()
        noting.append(read)
        try:
            yield
        finally:
            del noting[depth:]

    def leave(self, is_endless: bool = False) -> None:
        """Goes on behind the loop: the flags are the outer loop's again, and `else` runs where this one was not left.
        One that `is_endless` is left by a `break` or a return alone."""
        low, env, orelse = self._low, self._env, self._statement.orelse
        goes_on = none_set(low, env, (BROKE, RETURNED), span_of(orelse[0])) if orelse else not is_endless
        broke = env.get(BROKE, False) is not False
        for flag in (BROKE, CONTINUED):
            env.pop(flag, None)
        env.update(self._outer)
        noted = self._taken()  # `else` may hold a `break` of the outer loop, which notes others
        if goes_on is True:
            lower_block(low, orelse, env)
        elif goes_on is not False:
            was_left = partial(self._bind, noted) if broke else end  # without `break` it was left by a return
            steps = (partial(_else, low, orelse), was_left)
            branch(low, goes_on, span_of(orelse[0]), env, steps, last=self._statement)
        elif broke:
            self._bind(noted, env)

    def _bind(self, noted: Environment, env: Environment) -> None:
        """Binds the names that have no value where the loop ends by itself, on the path that a `break` has taken."""
        for name in self._names:
            found = env.get(name)
            if not isinstance(found, Unbound):
                continue
            at = noted.get(at_break(name), VACANT)
            if isinstance(at, Unbound):  # copies of the body may yet bind it
                env[name] = Unbound(at.missing_on, found.loop, at.conflict, found.copies, at.left)
            elif at is not VACANT:
                env[name] = at
            elif not self._noted and not (found.copies and self._few) and has_break(self._statement.body):
                left = loop_key(self._low, self._statement)
                env[name] = Unbound(found.missing_on, found.loop, found.conflict, found.copies, left)

    def _taken(self) -> Environment:
        """What has been noted, which is taken out of the environment: on a path that goes on nothing else reads it."""
        names = [name for name in self._env if is_at_break(name)] if self._noted else []
        return {name: self._env.pop(name) for name in names}


def _else(low: Lowering, block: list[ast.stmt], env: Environment) -> None:
    revive(env)
    lower_block(low, block, env)
