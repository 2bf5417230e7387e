"""Comprehensions: static lists and dictionaries, or what a loop appends where only the run tells how many there are."""

from __future__ import annotations

import ast
from collections.abc import Callable

from opwright.diagnostics.diagnostic import Choice
from opwright.lang.lower.calls.nested import call_function
from opwright.lang.lower.expressions.conditions import lower_condition
from opwright.lang.lower.loops.iterables import what_is_run_over
from opwright.lang.lower.loops.run_over import Range
from opwright.lang.lower.paths.flow import FRAME
from opwright.lang.lower.paths.speculate import speculate
from opwright.lang.lower.rules import bind_target, lower_expression
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.known import need_static
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.lower.values.lists import GENERATOR, Items, iterator_over
from opwright.lang.lower.values.static_records import add_entry, dictionary_of
from opwright.lang.meaning import static
from opwright.lang.meaning.objects import NestedObject
from opwright.lang.meaning.operands import (
    Arguments,
    Environment,
    Frame,
    Operand,
    Unbound,
)
from opwright.lang.meaning.static import Key
from opwright.lang.text.grammar import assigned_names, names_in_expressions
from opwright.lang.text.source import span_of
from opwright.lang.text.syntax import appending_of

Comprehension = ast.ListComp | ast.GeneratorExp | ast.DictComp
Add = Callable[[Environment], None]


def comprehend(low: Lowering, node: ast.ListComp | ast.GeneratorExp, env: Environment) -> Operand:
    """`[f(x) for x in xs if p]`: a static list, or a sequence; a generator's items are handed out once."""
    _check(low, node)
    first = _run_over(low, node.generators[0].iter, env)
    if isinstance(node, ast.GeneratorExp):
        return _generator(low, node, first, env)
    if first.listed is not None:
        with speculate(low) as trial:
            found = _items(low, node, first.listed, env)
            if found is not None:
                trial.commit()
                return _static_list(low, node, found)
    return _appended(low, node, first, env)


def _static_list(low: Lowering, node: ast.ListComp, found: list[Operand]) -> Operand:
    try:
        return low.lists.made(static.checked(static.StaticList(found)))
    except static.StaticError as error:
        raise low.no_value(error, "the list is too long", span_of(node)) from None


def _generator(low: Lowering, node: ast.GeneratorExp, first: Range, env: Environment) -> Operand:
    found = None if first.listed is None else _items(low, node, first.listed, env)
    if found is None:
        raise _not_known(low, node, "a generator")
    return iterator_over(low, tuple(found), GENERATOR)


def comprehend_dictionary(low: Lowering, node: ast.DictComp, env: Environment) -> Operand:
    """`{k: f(v) for k, v in items if p}`."""
    _check(low, node)
    first = _run_over(low, node.generators[0].iter, env)
    entries: dict[Key, Operand] = {}

    def add(inner: Environment) -> None:
        add_entry(low, entries, node.key, node.value, inner)

    if first.listed is None or not _comprehend(low, node, first.listed, env, add):
        raise _not_known(low, node, "a dictionary")
    return dictionary_of(low, entries, span_of(node))


def _not_known(low: Lowering, node: Comprehension, what: str) -> Poisoned:
    return low.error(
        "OW362",
        f"how many items {what} has must be known when the function is built",
        span_of(node),
        reason="it runs over a list, or chooses by a condition, that is known at run time only",
        help="write a list, `[...]`, or a loop",
        depends_on=Choice.LOOP_FORM,
    )


def _check(low: Lowering, node: Comprehension) -> None:
    if low.scope.module.binds_in_expressions and names_in_expressions([node]):
        raise low.error(
            "OW304",
            "`:=` in a comprehension is not part of the language",
            span_of(node),
            reason="it binds a name of the function around the comprehension",
            help="write a loop, and append to a list",
        )
    for generator in node.generators:
        if any(isinstance(part, ast.Subscript) for part in ast.walk(generator.target)):
            raise low.error(
                "OW343", "only names can be assigned", span_of(generator.target), "here by a comprehension", ""
            )


def _run_over(low: Lowering, node: ast.expr, env: Environment) -> Range:
    return what_is_run_over(low, node, env, "a comprehension").settled(low, span_of(node))


# ------------------------------------------------------------------------------------------- of a known length


def _items(
    low: Lowering, node: ast.ListComp | ast.GeneratorExp, first: Items, env: Environment
) -> list[Operand] | None:
    """The items; None where only the run tells how many there are."""
    found: list[Operand] = []

    def add(inner: Environment) -> None:
        found.append(lower_expression(low, node.elt, inner))

    return found if _comprehend(low, node, first, env, add) else None


def _comprehend(low: Lowering, node: Comprehension, first: Items, env: Environment, add: Add) -> bool:
    """Adds each item; false where only the run tells how many there are. The targets are names of the comprehension's
    scope."""
    inner = dict(env)
    names = assigned_names([generator.target for generator in node.generators])
    inner.update(dict.fromkeys(names, Unbound("before the comprehension sets it")))
    frame = env.get(FRAME)
    if isinstance(frame, Frame):
        inner[FRAME] = Frame(frame, tuple(names))  # a function that is made in it sees its names, which end with it
    with low.entered(low.call_frame.within(env)):
        return _run(low, node, 0, first, inner, add)


def _run(low: Lowering, node: Comprehension, level: int, items: Items, env: Environment, add: Add) -> bool:
    """Runs one `for` of a comprehension; false where only the run tells how many items there are."""
    generator = node.generators[level]
    for number, item in enumerate(items):
        low.spend(1, span_of(node))
        mark = len(low.diagnostics)
        bind_target(low, generator.target, item, env)
        chosen = _chosen(low, generator.ifs, env)
        if chosen is None:
            return False
        if not chosen:
            continue
        with low.copy(number):
            if level + 1 == len(node.generators):
                add(env)
            else:
                inner = _run_over(low, node.generators[level + 1].iter, env)
                if inner.listed is None or not _run(low, node, level + 1, inner.listed, env, add):
                    return False
        if low.has_errors_since(mark):  # the other items would say the same
            raise Poisoned
    return True


def _chosen(low: Lowering, conditions: list[ast.expr], env: Environment) -> bool | None:
    """Whether the conditions hold; None where the run decides."""
    for condition in conditions:
        found = lower_condition(low, condition, env)
        if not isinstance(found, bool):
            need_static(low, found, span_of(condition))
            return None
        if not found:
            return False
    return True


# ---------------------------------------------------------------------------------------- lists of the run time


def _appended(low: Lowering, node: ast.ListComp, over: Range, env: Environment) -> Operand:
    """The comprehension as the function that Python makes of it: a loop, which appends to a list."""
    span = span_of(node)
    callee = NestedObject(appending_of(low.scope.module, node), env[FRAME], low.scope, {})
    given = over if over.listed is None else over.listed
    return call_function(low, callee, Arguments([(given, span)], {}, None, span, span), env)
