"""`match` on a value that is known when the function is built: the case that fits takes the place of the statement.

Patterns are literals and dotted names, alternatives, sequences, names and `_`; guards are static.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.lang.dispatch import Operation
from opwright.lang.lower.expressions.arithmetic import is_none
from opwright.lang.lower.expressions.conditions import lower_condition
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.rules import Rest, bind_target, lower_expression, lowers_flow
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static, numbers_of
from opwright.lang.lower.values.shapes import known_length, tuple_items
from opwright.lang.meaning import static
from opwright.lang.meaning.operands import AttributeOperand, Environment, IntTuple, Operand, is_static
from opwright.lang.meaning.static import StaticError, StaticList
from opwright.lang.text.source import Span, span_of

Bound = dict[str, Operand]


@lowers_flow(ast.Match)
def _match(low: Lowering, statement: ast.Match, rest: Rest, env: Environment) -> Rest:
    return rest.behind(_case_taken(low, statement, env))


def _case_taken(low: Lowering, statement: ast.Match, env: Environment) -> Sequence[ast.stmt]:
    """The block of the first case that fits, whose names are bound; none where no case does."""
    subject = lower_expression(low, statement.subject, env)
    if isinstance(subject, AttributeOperand):
        need_static(low, subject, span_of(statement.subject))
    for index, case in enumerate(statement.cases):
        if index + 1 < len(statement.cases) and case.guard is None and _always(case.pattern):
            raise low.error(
                "OW301", "the cases after this one are never reached", span_of(case.pattern), "Python says the same"
            )
    for case in statement.cases:
        bound: Bound = {}
        if not _fits(low, case.pattern, subject, env, bound):
            continue
        for name, operand in bound.items():
            bind_target(low, ast.copy_location(ast.Name(name, ast.Store()), case.pattern), operand, env)
        if case.guard is None or _holds(low, case.guard, env):
            return case.body
    return ()


def _always(pattern: ast.pattern) -> bool:
    """Whether a pattern fits whatever there is: a name, or `_`."""
    match pattern:
        case ast.MatchAs(pattern=inner):
            return inner is None or _always(inner)
        case ast.MatchOr(patterns=alternatives):
            return any(map(_always, alternatives))
    return False


def _holds(low: Lowering, guard: ast.expr, env: Environment) -> bool:
    found = lower_condition(low, guard, env)
    if isinstance(found, bool):
        return found
    need_static(low, found, span_of(guard))
    raise low.error(
        "OW324",
        "the guard of a case must be known when the function is built",
        span_of(guard),
        reason="it chooses which statements there are",
        help="write `if` inside the case",
    )


def _fits(low: Lowering, pattern: ast.pattern, subject: Operand, env: Environment, bound: Bound) -> bool:
    return _PATTERNS.of(pattern)(pattern, low, subject, env, bound)


def _unknown(pattern: ast.pattern, low: Lowering, subject: Operand, env: Environment, bound: Bound) -> bool:
    raise low.error(
        "OW303",
        "this pattern is not part of the language",
        span_of(pattern),
        reason="a pattern is a literal, a dotted name, a sequence, a name, `_`, or several of them joined by `|`",
        help="write `if`",
    )


_PATTERNS: Operation[ast.pattern, [Lowering, Operand, Environment, Bound], bool] = Operation(_unknown)


@_PATTERNS.on(ast.MatchAs)
def _named(pattern: ast.MatchAs, low: Lowering, subject: Operand, env: Environment, bound: Bound) -> bool:
    if pattern.pattern is not None and not _fits(low, pattern.pattern, subject, env, bound):
        return False
    if pattern.name is not None:
        bound[pattern.name] = subject
    return True


@_PATTERNS.on(ast.MatchOr)
def _one_of(pattern: ast.MatchOr, low: Lowering, subject: Operand, env: Environment, bound: Bound) -> bool:
    for alternative in pattern.patterns:
        found: Bound = {}
        if _fits(low, alternative, subject, env, found):
            bound.update(found)
            return True
    return False


@_PATTERNS.on(ast.MatchSingleton)
def _singleton(pattern: ast.MatchSingleton, low: Lowering, subject: Operand, env: Environment, bound: Bound) -> bool:
    span = span_of(pattern)
    if pattern.value is None:
        return is_none(low, False, subject, None, span) is True
    _need_known(low, subject, span)
    return subject is pattern.value


@_PATTERNS.on(ast.MatchValue)
def _value(pattern: ast.MatchValue, low: Lowering, subject: Operand, env: Environment, bound: Bound) -> bool:
    return _equals(low, subject, lower_expression(low, pattern.value, env), span_of(pattern))


@_PATTERNS.on(ast.MatchSequence)
def _sequence(pattern: ast.MatchSequence, low: Lowering, subject: Operand, env: Environment, bound: Bound) -> bool:
    items = _items(low, subject, span_of(pattern))
    return items is not None and _fit_items(low, pattern.patterns, items, env, bound)


def _need_known(low: Lowering, subject: Operand, span: Span) -> None:
    need_static(low, subject, span)
    if not is_static(subject):
        raise low.error(
            "OW324",
            "`match` needs a value that is known when the function is built",
            span,
            reason=f"it is {describe(subject)}",
            help="write `if`: a condition of the run time becomes an `If`",
        )


def _equals(low: Lowering, subject: Operand, wanted: Operand, span: Span) -> bool:
    _need_known(low, subject, span)
    _need_known(low, wanted, span)
    try:
        return static.equal(subject, wanted)
    except StaticError as error:
        raise low.no_value(error, "the pattern has no answer here", span) from None


def _items(low: Lowering, subject: Operand, span: Span) -> tuple[Operand, ...] | None:
    """The items of a tuple or list; None where Python says that it is none."""
    if isinstance(subject, IntTuple) and known_length(subject) is not None:
        subject = tuple_items(low, subject, span, "a pattern takes it apart")
    if isinstance(subject, range):
        return numbers_of(low, subject, span)
    if isinstance(subject, tuple):
        return tuple(subject)
    _need_known(low, subject, span)
    return None


def _fit_items(
    low: Lowering, patterns: Sequence[ast.pattern], items: tuple[Operand, ...], env: Environment, bound: Bound
) -> bool:
    stars = [(index, pattern) for index, pattern in enumerate(patterns) if isinstance(pattern, ast.MatchStar)]
    if len(items) < len(patterns) - len(stars) or (not stars and len(items) > len(patterns)):
        return False
    first = stars[0][0] if stars else len(patterns)
    last = len(items) - (len(patterns) - first - 1) if stars else len(items)
    pairs = list(zip(patterns[:first], items[:first], strict=True))
    pairs += zip(patterns[first + 1 :], items[last:], strict=True)
    for pattern, item in pairs:
        if isinstance(item, AttributeOperand) and not _always(pattern):
            need_static(low, item, span_of(pattern))
        if not _fits(low, pattern, item, env, bound):
            return False
    for _, star in stars:
        if star.name is not None:
            bound[star.name] = low.lists.made(StaticList(items[first:last]))
    return True
