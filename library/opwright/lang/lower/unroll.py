"""Loops over static lists: a `Loop` where the body can do with that, else one copy of the body for each item."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from opwright.diagnostics.diagnostic import Choice
from opwright.lang.grammar import assigned_names, has_break, has_return
from opwright.lang.lower.context import Lowering
from opwright.lang.lower.flow import BROKE, CONTINUED, RETURNED, end, none_set, revive
from opwright.lang.lower.known import ask_attribute, loop_key
from opwright.lang.lower.operands import POISON, AttributeOperand, Environment, Operand
from opwright.lang.lower.poison import Poisoned
from opwright.lang.lower.rules import bind_target
from opwright.lang.lower.speculate import Trial, speculate
from opwright.lang.lower.statements import branch, lower_block
from opwright.lang.source import span_of
from opwright.lang.syntax import bound_names

# Copies are nested in the branches that go on down to this depth, since there more is known about them; what they hold
# nests too.
_DEEPEST_COPY = 18


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
    outer = outer_flags(env)
    _unroll_from(low, statement, items, env)
    leave(low, env, outer, statement.orelse)


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


def outer_flags(env: Environment) -> Environment:
    """The flags of the loop around this place; none where there is no such loop, so that `break` is refused there."""
    return {flag: env[flag] for flag in (BROKE, CONTINUED) if flag in env}


def leave(low: Lowering, env: Environment, outer: Environment, orelse: list[ast.stmt]) -> None:
    """After a loop: the flags are the outer loop's again, and `else` runs where this one was not left."""
    goes_on = none_set(low, env, (BROKE, RETURNED), span_of(orelse[0])) if orelse else False
    was_left = end if env.get(BROKE, False) is False else _nothing  # without `break` it was left by a return
    for flag in (BROKE, CONTINUED):
        env.pop(flag, None)
    env.update(outer)
    if goes_on is True:
        lower_block(low, orelse, env)
    elif goes_on is not False:
        branch(low, goes_on, span_of(orelse[0]), env, (partial(_else, low, orelse), was_left))


def _else(low: Lowering, block: list[ast.stmt], env: Environment) -> None:
    revive(env)
    lower_block(low, block, env)


def _nothing(env: Environment) -> None:
    """The other side of an `else`: the loop was left, by a break or a return."""
