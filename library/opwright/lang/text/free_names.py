"""The names that a function reads and does not bind itself, by Python's scopes."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from opwright.lang.text.grammar import assigned_names, names_in_expressions, read_in
from opwright.lang.text.source import Span, span_of


def free_names(function: ast.FunctionDef) -> dict[str, Span]:
    """Each free name with the place where it is first read, in the order of the text.

    Annotations are not looked at: they are read as they stand.
    """
    found: dict[str, Span] = {}
    _function(function, frozenset(), found)
    return found


def _function(node: ast.FunctionDef, around: frozenset[str], found: dict[str, Span]) -> None:
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None:
            _expressions(default, around, found)
    own = frozenset((*_parameters(node.args), *assigned_names(node.body), *names_in_expressions(node.body)))
    _statements(node.body, around | own, found)


def _parameters(formal: ast.arguments) -> list[str]:
    several = (formal.vararg, formal.kwarg)
    plain = (*formal.posonlyargs, *formal.args, *formal.kwonlyargs)
    return [item.arg for item in (*plain, *(each for each in several if each is not None))]


def _statements(statements: Sequence[ast.AST], bound: frozenset[str], found: dict[str, Span]) -> None:
    pending = list(reversed(statements))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef):
            _function(node, bound, found)
        elif isinstance(node, ast.expr):
            _expressions(node, bound, found)
        else:
            pending.extend(reversed(read_in(node)))


def _expressions(root: ast.expr, bound: frozenset[str], found: dict[str, Span]) -> None:
    pending: list[tuple[ast.AST, frozenset[str]]] = [(root, bound)]
    while pending:
        node, names = pending.pop()
        if isinstance(node, ast.Name):
            if node.id not in names:
                found.setdefault(node.id, span_of(node))
            continue
        if isinstance(node, ast.Lambda):
            pending.extend((item, names) for item in (*node.args.defaults, *node.args.kw_defaults) if item is not None)
            pending.append((node.body, names | frozenset(_parameters(node.args))))
            continue
        if isinstance(node, (ast.ListComp, ast.DictComp, ast.GeneratorExp)):
            targets = assigned_names([item.target for item in node.generators])
            names = names | frozenset(targets)
        pending.extend((child, names) for child in reversed(list(ast.iter_child_nodes(node))))
