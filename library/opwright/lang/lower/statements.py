"""Statements: each changes the environment, or ends the block with a return."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from opwright.lang import ir
from opwright.lang.lower.arithmetic import binary, is_static
from opwright.lang.lower.context import (
    NESTING_LIMIT,
    POISON,
    Environment,
    Lowering,
    Operand,
    Poison,
    Stop,
    Unbound,
)
from opwright.lang.lower.expressions import BINARY_SYMBOLS, lower_expression
from opwright.lang.lower.joins import Result, join_environments, join_returns, within
from opwright.lang.lower.numbers import as_tensor, cast, describe
from opwright.lang.source import Span, span_of


class Returned:
    """A block that ended with a return, and what it returns: one operand per output."""

    __slots__ = ("span", "values")

    def __init__(self, values: tuple[Operand, ...] | None, span: Span) -> None:
        self.values = values
        self.span = span


# How a block ends: None when it falls through.
End = Returned | None


def lower_block(low: Lowering, statements: Sequence[ast.stmt], env: Environment) -> End:
    """Lowers a block into the current region. The rest of a block after an `if` of which one branch returns is lowered
    inside the branch that falls through, so nothing is emitted twice."""
    for index, statement in enumerate(statements):
        if isinstance(statement, ast.If):
            end, consumed = _if(low, statement, statements[index + 1 :], env)
            if end is not None or consumed:
                return end
            continue
        if isinstance(statement, ast.Return):
            return _return(low, statement, env)
        handler = _HANDLERS.get(type(statement))
        if handler is None:
            _unsupported(low, statement)
        else:
            handler(low, statement, env)
    return None


def _unsupported(low: Lowering, statement: ast.stmt) -> None:
    names = {"FunctionDef": "def", "ClassDef": "class", "ImportFrom": "import", "TryStar": "try"}
    kind = type(statement).__name__
    word = names.get(kind, kind.lower())
    hints = {
        "while": "write `for i in range(n):` where the number of trips is known",
        "break": "compute the number of trips first",
        "def": "define it at module level",
        "import": "import at module level",
        "raise": "an ONNX function cannot raise; state requirements in its documentation",
        "try": "an ONNX function has no exceptions",
        "global": "pass the value as a parameter",
        "nonlocal": "pass the value as a parameter",
    }
    low.error(
        "OW303",
        f"`{word}` is not part of the language",
        span_of(statement),
        reason="it has no counterpart in an ONNX graph that this compiler writes",
        help=hints.get(word, ""),
    )


# ---------------------------------------------------------------------------------------------- assignments


def _assign(low: Lowering, statement: ast.Assign, env: Environment) -> None:
    first = statement.targets[0]
    count = len(first.elts) if isinstance(first, (ast.Tuple, ast.List)) else None
    value = lower_expression(low, statement.value, env, count)
    for target in statement.targets:
        bind_target(low, target, value, env)


def _ann_assign(low: Lowering, statement: ast.AnnAssign, env: Environment) -> None:
    if statement.value is not None:
        bind_target(low, statement.target, lower_expression(low, statement.value, env), env)


def _aug_assign(low: Lowering, statement: ast.AugAssign, env: Environment) -> None:
    if not isinstance(statement.target, ast.Name):
        low.error(
            "OW303",
            "only names can be assigned",
            span_of(statement.target),
            reason="tensors of a graph never change",
            help="build a new tensor: `op.ScatterElements`, `op.Concat`, ...",
        )
        return
    load = ast.copy_location(ast.Name(statement.target.id, ast.Load()), statement.target)
    left = lower_expression(low, load, env)
    right = lower_expression(low, statement.value, env)
    spans = (span_of(statement.target), span_of(statement.value))
    value = binary(low, BINARY_SYMBOLS[type(statement.op)], left, right, span_of(statement), spans)
    bind_target(low, statement.target, value, env)


def bind_target(low: Lowering, target: ast.expr, value: Operand, env: Environment) -> None:
    """`target = value`, tuples taken apart."""
    if isinstance(target, ast.Name):
        if isinstance(value, ir.Value) and not value.name:
            value.name = target.id
        env[target.id] = value
        return
    if not isinstance(target, (ast.Tuple, ast.List)):
        low.error(
            "OW303",
            "only names can be assigned",
            span_of(target),
            reason="tensors of a graph never change",
            help="build a new tensor: `op.ScatterElements`, `op.Concat`, ...",
        )
        return
    items: tuple[Operand, ...]
    if isinstance(value, tuple) and len(value) == len(target.elts):
        items = value
    else:
        if not isinstance(value, Poison):
            given = f"{len(value)} values" if isinstance(value, tuple) else "one value"
            low.error(
                "OW328",
                f"{given} cannot be unpacked to {len(target.elts)} names",
                span_of(target),
                reason="the right side gives another number of values than there are names",
                help="",
            )
        items = (POISON,) * len(target.elts)
    for element, item in zip(target.elts, items, strict=True):
        bind_target(low, element, item, env)


def _delete(low: Lowering, statement: ast.Delete, env: Environment) -> None:
    for target in statement.targets:
        if isinstance(target, ast.Name) and target.id in env:
            lower_expression(low, ast.copy_location(ast.Name(target.id, ast.Load()), target), env)
            env[target.id] = Unbound("after `del`")
        else:
            low.error("OW303", "only a local name can be deleted", span_of(target), "a graph has no other storage", "")


def _expression(low: Lowering, statement: ast.Expr, env: Environment) -> None:
    if not isinstance(statement.value, ast.Constant):  # a docstring, or a literal that does nothing
        lower_expression(low, statement.value, env)


def _assert(low: Lowering, statement: ast.Assert, env: Environment) -> None:
    test = lower_expression(low, statement.test, env)
    if isinstance(test, Poison):
        return
    if not is_static(test):
        low.error(
            "OW303",
            "`assert` needs a condition that is known when the function is built",
            span_of(statement.test),
            reason="a graph cannot stop at run time",
            help="ask about element types, presence or static values",
        )
    elif not test:
        low.error(
            "OW312",
            "the assertion does not hold",
            span_of(statement.test),
            "it is checked when the function is built",
            "",
        )


def _pass(low: Lowering, statement: ast.stmt, env: Environment) -> None:
    """Import statements and nested definitions are the module's business; `pass` is nobody's."""


# ------------------------------------------------------------------------------------------------------- if


def _if(low: Lowering, statement: ast.If, rest: Sequence[ast.stmt], env: Environment) -> tuple[End, bool]:
    """(how the block ends, whether `rest` has been lowered already)."""
    test = lower_expression(low, statement.test, env)
    if isinstance(test, Poison):
        _poison_assigned(statement, env)
        return None, False
    if is_static(test):
        return lower_block(low, [*(statement.body if test else statement.orelse), *rest], env), True
    condition = as_condition(low, test, span_of(statement.test))
    if isinstance(condition, Poison):
        _poison_assigned(statement, env)
        return None, False
    return _runtime_if(low, statement, rest, env, condition)


def _runtime_if(
    low: Lowering, statement: ast.If, rest: Sequence[ast.stmt], env: Environment, condition: ir.Value
) -> tuple[End, bool]:
    span = span_of(statement)
    operator = low.operator("If", span)
    branches = []
    for block in (statement.body, statement.orelse):
        region, scope = ir.Region(), dict(env)
        end = nested(low, region, span, partial(lower_block, low, block, scope))
        branches.append((region, scope, end))
    (then, then_env, then_end), (orelse, orelse_env, orelse_end) = branches
    if (then_end is None) == (orelse_end is None):
        node = ir.If(operator, condition, then, orelse, [], span)
        low.append(node)
        if then_end is None or orelse_end is None:
            paths = (f"when the condition in line {statement.test.lineno} is false", "when it is true")
            join_environments(low, node, env, then_env, orelse_env, paths)
            return None, False
        return Returned(join_returns(low, node, then_end, orelse_end), span), True
    falls, scope = (orelse, orelse_env) if then_end is not None else (then, then_env)
    end = nested(low, falls, span, partial(lower_block, low, rest, scope))
    returned = then_end or orelse_end
    assert returned is not None
    if end is None:
        _goes_on(low, span, returned.span[0])
        raise Stop
    node = ir.If(operator, condition, then, orelse, [], span)
    low.append(node)
    first, second = (returned, end) if then_end is not None else (end, returned)
    return Returned(join_returns(low, node, first, second), span), True


def _goes_on(low: Lowering, span: Span, line: int) -> None:
    """One branch returns, and the end of the block is reached on the other."""
    if low.depth:
        low.error(
            "OW303",
            "a `return` that leaves some paths of a nested block only is not part of the language yet",
            span,
            reason=f"line {line} returns, and another path of the same block goes on after it",
            help="return on every path of the inner `if`, or keep the result in a name",
        )
    else:
        low.error(
            "OW306",
            "a path ends without a return",
            span,
            reason=f"another path returns in line {line}, and this one falls off the end",
            help="return on every path",
        )


def nested(low: Lowering, region: ir.Region, span: Span, step: Callable[[], Result]) -> Result:
    """Runs a step of lowering inside a nested block, of which protobuf allows so many."""
    if low.depth >= NESTING_LIMIT:
        low.error(
            "OW319",
            f"more than {NESTING_LIMIT} nested blocks",
            span,
            reason="protobuf parsers stop at 32 nested subgraphs, so runtimes could not read the model",
            help="combine conditions, or move inner blocks into functions of their own",
        )
        raise Stop
    low.depth += 1
    try:
        return within(low, region, step)
    finally:
        low.depth -= 1


def as_condition(low: Lowering, operand: Operand, span: Span) -> ir.Value | Poison:
    """A rank-0 BOOL: one element of any numeric type, true where it is not zero."""
    value = as_tensor(low, operand, None, span)
    if isinstance(value, Poison):
        return POISON
    if not isinstance(value.type, ir.TensorType) or ((value.type.rank or 0) > 0 and _surely_many(value.type)):
        return low.error(
            "OW320",
            f"{describe(operand)} cannot be a condition",
            span,
            reason="a condition is one element of a numeric or boolean type",
            help="reduce it: `op.ReduceMax(x)`",
        )
    mask = ir.element_mask(value.type.element)
    boolean = low.element_of("bool")
    if mask == 1 << boolean.code:
        return value
    if mask >> low.element_of("string").code & 1:
        return low.error(
            "OW320", f"{describe(operand)} cannot be a condition", span, "strings are neither true nor false", ""
        )
    return cast(low, value, boolean, span)


def _surely_many(type_: ir.TensorType) -> bool:
    return any(isinstance(dim, int) and dim != 1 for dim in type_.shape or ())


def _poison_assigned(statement: ast.stmt, env: Environment) -> None:
    for name in assigned_names([statement]):
        env[name] = POISON


def bind_locals(statements: Sequence[ast.stmt], env: Environment) -> None:
    """A name that a function assigns anywhere is local throughout, by Python's rule; until then it has no value."""
    for name in assigned_names(statements):
        env.setdefault(name, Unbound("before its first assignment"))


def assigned_names(statements: Sequence[ast.stmt]) -> list[str]:
    """The names that a block may bind, in the order in which they first stand there."""
    names: dict[str, None] = {}
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.setdefault(node.id)
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            pending.extend(reversed(list(ast.iter_child_nodes(node))))
    return list(names)


# ---------------------------------------------------------------------------------------------------- return


def _return(low: Lowering, statement: ast.Return, env: Environment) -> Returned:
    span = span_of(statement)
    if statement.value is None:
        return Returned(None, span)
    value = lower_expression(low, statement.value, env)
    if value is None:
        return Returned(None, span)
    return Returned(value if isinstance(value, tuple) else (value,), span)


def _for(low: Lowering, statement: ast.For, env: Environment) -> None:
    from opwright.lang.lower.loops import lower_for

    lower_for(low, statement, env)


_HANDLERS: dict[type[ast.stmt], Callable[[Lowering, Any, Environment], None]] = {
    ast.AnnAssign: _ann_assign,
    ast.Assert: _assert,
    ast.Assign: _assign,
    ast.AugAssign: _aug_assign,
    ast.Delete: _delete,
    ast.Expr: _expression,
    ast.For: _for,
    ast.Pass: _pass,
}
