"""Functions that a function makes: defined inside it, called like helpers or passed to operators as graph attributes,
and those that `functools.partial` gives some of their arguments.

Those that are defined see the names of the function around them as these are when they are called, not as they were at
the `def`: Python binds late.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from opwright.lang.lower.calls.function_calls import bind_parameters, round_attributes, run_body
from opwright.lang.lower.nodes.held_arrays import captured_constants
from opwright.lang.lower.numbers.number_operands import describe
from opwright.lang.lower.paths.flow import FRAME
from opwright.lang.lower.rules import call_rule, calls, evaluates, lower_expression, lowers
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import each
from opwright.lang.meaning.objects import FunctionObject, NestedObject, PartialObject, TypingObject
from opwright.lang.meaning.operands import Arguments, Environment, Frame, Operand
from opwright.lang.text.grammar import names_in_expressions
from opwright.lang.text.source import Span, span_of
from opwright.lang.text.syntax import bound_names, function_of, mentioned_names


@lowers(ast.FunctionDef)
def _define(low: Lowering, statement: ast.FunctionDef, env: Environment) -> None:
    """`def` inside a function."""
    for decorator in statement.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        found = lower_expression(low, called, env)
        if not isinstance(found, TypingObject) or found.name != "graph":
            low.error(
                "OW303",
                f"`{statement.name}` has a decorator that is not supported inside a function",
                span_of(decorator),
                reason="a nested function is a helper, or a graph that is passed to an operator",
                help="write `@graph()`, or define the function at module level",
            )
    env[statement.name] = _made(low, statement, env)
    low.lists.bound(statement.name)


@evaluates(ast.Lambda)
def _lambda(low: Lowering, node: ast.Lambda, env: Environment) -> Operand:
    """`lambda a, b=1: ...`: a function that returns the expression."""
    if names_in_expressions([node.body]):
        raise low.error(
            "OW304", "`:=` in a lambda is not part of the language", span_of(node), "it binds a name", "write a `def`"
        )
    function = function_of(node)
    return _made(low, function, env) if FRAME in env else FunctionObject(low.scope, function)


def _made(low: Lowering, node: ast.FunctionDef, env: Environment) -> NestedObject:
    arguments = node.args
    expressions = [*arguments.defaults, *(item for item in arguments.kw_defaults if item is not None)]
    values = each(partial(lower_expression, low, env=env), expressions)
    return NestedObject(node, env[FRAME], low.scope, dict(zip(expressions, values, strict=True)))


_FUNCTIONS: tuple[type[FunctionObject | NestedObject], ...] = (FunctionObject, NestedObject)


@calls(*_FUNCTIONS)
def call_function(
    low: Lowering, callee: NestedObject | FunctionObject, arguments: Arguments, env: Environment
) -> Operand:
    """The function's body in place of the call; `env` is the caller's."""
    if callee.run is not None and not arguments.keywords:
        returned: Operand = callee.run([operand for operand, _ in arguments.positional])
        return returned[0] if isinstance(returned, tuple) and len(returned) == 1 else returned
    inner = enter(low, callee, arguments, env)
    return run_body(low, callee.node, callee.scope, inner, env, arguments.span, callee.frame is None)


def make_partial(low: Lowering, arguments: Arguments) -> Operand:
    """`functools.partial(f, a, b=c)`."""
    operands = [operand for operand, _ in arguments.positional]
    if not operands or call_rule(operands[0]) is None:
        raise low.error(
            "OW312",
            "`functools.partial` has no value here",
            arguments.span,
            reason="its first argument is what is called" + (f", not {describe(operands[0])}" if operands else ""),
        )
    given = {name: operand for name, (operand, _) in arguments.keywords.items()}
    return PartialObject(operands[0], tuple(operands[1:]), given)


@calls(PartialObject)
def _call_partial(low: Lowering, callee: PartialObject, arguments: Arguments, env: Environment) -> Operand:
    """A keyword of the call takes the place of one that was given before."""
    positional = [(operand, arguments.span) for operand in callee.positional]
    keywords = {name: (operand, arguments.span) for name, operand in callee.keywords.items()}
    every = Arguments(
        [*positional, *arguments.positional],
        {**keywords, **arguments.keywords},
        arguments.result_count,
        span=arguments.span,
        callee_span=arguments.callee_span,
    )
    rule = call_rule(callee.function)
    assert rule is not None
    return rule(low, callee.function, every, env)


def enter(low: Lowering, callee: NestedObject | FunctionObject, arguments: Arguments, env: Environment) -> Environment:
    """The environment in which the body of a function runs: its parameters, and the names around it. `env` is the
    caller's."""

    def default(node: ast.expr) -> Operand:
        return captured_constants(low, callee.default(node), span_of(node))  # it may be an array of numpy

    bound = bind_parameters(low, callee.node, callee.scope, default, arguments)
    if callee.is_script:
        round_attributes(callee.node.args, bound)
    if callee.frame is None:
        return bound
    module = callee.scope.module
    own = {*bound, *bound_names(module, callee.node.body)}
    met = [name for name in mentioned_names(module, callee.node) if name not in own]
    around = _around(low, callee, met, env, arguments.span)
    inner: Environment = {name: around[name] for name in met if name in around}
    inner.update(bound)
    return inner


def _around(
    low: Lowering, callee: NestedObject | FunctionObject, met: Sequence[str], env: Environment, span: Span
) -> Environment:
    """The names of the call in which the function was defined, as they are now, of which it mentions those that are
    `met`. Those of a comprehension that has ended have no values any more, and others do not depend on it."""
    frame = callee.frame
    while isinstance(frame, Frame):
        for candidate in (env, *(outer.caller for outer in low.call_frame.chain())):
            if candidate.get(FRAME) is frame:
                return candidate
        if not set(frame.names).isdisjoint(met):
            break
        frame = frame.outer
    raise low.error(
        "OW303",
        f"`{callee.node.name}` is called after the function around it has ended",
        span,
        reason="the variables of the function around it no longer have values",
        help="call it inside the function that defines it",
    )
