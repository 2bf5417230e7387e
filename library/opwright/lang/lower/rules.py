"""Rules of lowering, each registered beside the code that is the rule: `@lowers(ast.Assert)`, `@calls(OperatorObject)`.

A rule is found by the class of what it is about: a statement, an expression, the target of an assignment, what is
called, or that of which an attribute is read. Code that lowers a part of a program calls `lower_expression`,
`bind_target` and their like, and knows no rule. `rulebook.py` imports all modules that have rules.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from opwright.lang.dispatch import by_class
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.operands import Arguments, Environment, NoValue, Operand
from opwright.lang.text.source import span_of

Statement = TypeVar("Statement", bound=ast.stmt)
Expression = TypeVar("Expression", bound=ast.expr)
Owner = TypeVar("Owner")
Rule = TypeVar("Rule")
Base = TypeVar("Base")
Found = TypeVar("Found")


class Rest:
    """What follows a statement: its block from number `index` on, then what follows that block.

    Blocks are shared and never copied, or each `if` that takes its branch would copy the statements behind it.
    """

    __slots__ = ("after", "first", "index", "statements")

    def __init__(self, statements: Sequence[ast.stmt], index: int = 0, after: Rest | None = None) -> None:
        if index == len(statements) and after is not None:
            statements, index, after = after.statements, after.index, after.after
        self.statements: Sequence[ast.stmt] = statements
        self.index: int = index
        self.after: Rest | None = after
        self.first = statements[index] if index < len(statements) else None  # where nothing follows

    @property
    def following(self) -> Rest:
        """What follows the first statement, where there is one."""
        return Rest(self.statements, self.index + 1, self.after)

    @property
    def last(self) -> ast.stmt | None:
        rest = self
        while rest.after is not None and rest.after.first is not None:
            rest = rest.after
        return rest.statements[-1] if rest.first is not None else None

    def behind(self, block: Sequence[ast.stmt]) -> Rest:
        """A block, and this after it."""
        return Rest(block, 0, self)


StatementRule = Callable[[Lowering, Statement, Environment], None]
FlowRule = Callable[[Lowering, Statement, Rest, Environment], Rest | None]
"""Gives the statements that are still to be lowered; None where those are the rest."""
ExpressionRule = Callable[[Lowering, Expression, Environment], Operand]
TargetRule = Callable[[Lowering, Expression, Operand, Environment], None]
CallRule = Callable[[Lowering, Owner, Arguments, Environment], Operand]
AttributeRule = Callable[[Lowering, Owner, ast.Attribute], Operand]

STATEMENTS: dict[type[ast.stmt], StatementRule[ast.stmt]] = {}
FLOW: dict[type[ast.stmt], FlowRule[ast.stmt]] = {}
EXPRESSIONS: dict[type[ast.expr], ExpressionRule[ast.expr]] = {}
TARGETS: dict[type[ast.expr], TargetRule[ast.expr]] = {}
_CALLS: dict[type, CallRule[Operand]] = {}
_ATTRIBUTES: dict[type, AttributeRule[Operand]] = {}


# ---------------------------------------------------------------------------------------------- to register a rule


def lowers(kind: type[Statement]) -> Callable[[StatementRule[Statement]], StatementRule[Statement]]:
    """The rule of a class of statements."""
    return _into(STATEMENTS, kind)


def lowers_flow(kind: type[Statement]) -> Callable[[FlowRule[Statement]], FlowRule[Statement]]:
    """The rule of a class of statements that decide what is lowered of the rest of their block, and where."""
    return _into(FLOW, kind)


def evaluates(*kinds: type[Expression]) -> Callable[[ExpressionRule[Expression]], ExpressionRule[Expression]]:
    """The rule of some classes of expressions."""
    return _into(EXPRESSIONS, *kinds)


def assigns(*kinds: type[Expression]) -> Callable[[TargetRule[Expression]], TargetRule[Expression]]:
    """The rule of some classes of targets."""
    return _into(TARGETS, *kinds)


def calls(*kinds: type[Owner]) -> Callable[[CallRule[Owner]], CallRule[Owner]]:
    """The rule of calls of operands of some classes, and of those derived from them."""
    return _into(_CALLS, *kinds)


def reads_attribute(*kinds: type[Owner]) -> Callable[[AttributeRule[Owner]], AttributeRule[Owner]]:
    """The rule of attributes of operands of some classes, and of those derived from them."""
    return _into(_ATTRIBUTES, *kinds)


def _into(table: dict[type[Base], Found], *kinds: type) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        for kind in kinds:
            assert kind not in table, f"{kind.__name__} has a rule"
            # The table gives a rule to what is of its class alone, which its type cannot say.
            table[kind] = cast("Found", rule)
        return rule

    return register


# ------------------------------------------------------------------------------------------------- to find a rule


def lower_expression(low: Lowering, node: ast.expr, env: Environment) -> Operand:
    """The operand of an expression."""
    rule = EXPRESSIONS.get(type(node))
    if rule is None:
        raise low.error(
            "OW304",
            f"{_name_of(node)} is not part of the language",
            span_of(node),
            reason="it has no counterpart in an ONNX graph",
            help=_REFUSED.get(type(node), ("", ""))[1],
        )
    found = rule(low, node, env)
    assert not isinstance(found, NoValue), "an expression has no value, without a finding"
    return found


def bind_target(low: Lowering, target: ast.expr, value: Operand, env: Environment) -> None:
    """`target = value`, tuples taken apart."""
    rule = TARGETS.get(type(target))
    if rule is None:
        raise refuse_store(low, target, env)
    rule(low, target, value, env)


def refuse_store(low: Lowering, target: ast.expr, env: Environment) -> Poisoned:
    """Reports what is no target: an attribute, an item of a tensor. Nothing where its owner is wrong."""
    owner = target
    while isinstance(owner, (ast.Attribute, ast.Subscript)):
        owner = owner.value
    lower_expression(low, owner, env)
    return low.error(
        "OW343",
        "only names can be assigned",
        span_of(target),
        reason="tensors, lists and objects of a graph never change",
        help="make a new tensor: `op.Where(mask, v, x)`, `op.ScatterElements`, `op.ScatterND`; "
        "a list grows by `append`",
    )


def call_rule(callee: Operand) -> CallRule[Operand] | None:
    """The rule of a call; None of what cannot be called."""
    return by_class(_CALLS, type(callee))


def attribute_rule(owner: Operand) -> AttributeRule[Operand] | None:
    """The rule of an attribute; None of what has none."""
    return by_class(_ATTRIBUTES, type(owner))


# Expressions that are refused: what they are called, and what to write instead.
_REFUSED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Await: ("`await`", ""),
    ast.Set: ("a set", "use a tuple: `x.dtype in (FLOAT, DOUBLE)`"),
    ast.SetComp: ("a set", "use a list"),
    ast.Slice: ("a slice outside of a subscript", ""),
    ast.Starred: ("`*` here", "use it in a call, a list or an assignment"),
    ast.Yield: ("`yield`", "append to a list"),
    ast.YieldFrom: ("`yield`", "append to a list"),
}


def _name_of(node: ast.expr) -> str:
    return _REFUSED.get(type(node), (f"an expression of the kind `{type(node).__name__}`", ""))[0]
