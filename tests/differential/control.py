"""Which control constructs a text has, and which of them stand inside which.

A loop or a branch has a name for what it is and one for each way in which paths leave it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_WAYS = {"for": ("", " else", " break", " continue", " return"), "if": ("", " else", " elif")}
_WAYS["while"] = _WAYS["for"]
KINDS = tuple(f"{name}{way}" for name, ways in _WAYS.items() for way in ways)
PAIRS = tuple(f"{inner} in {outer}" for outer in KINDS for inner in KINDS)
_NAMES = {ast.For: "for", ast.While: "while", ast.If: "if"}
_LEAVING = {ast.Break: "break", ast.Continue: "continue", ast.Return: "return"}


def control_pairs(text: str) -> set[str]:
    """`a in b` for each control construct inside another."""
    pairs: set[str] = set()
    pending: list[tuple[ast.AST, tuple[str, ...]]] = [(ast.parse(text), ())]
    while pending:
        node, outer = pending.pop()
        if type(node) in _NAMES:
            kinds = _kinds(node)
            pairs.update(f"{kind} in {other}" for kind in kinds for other in outer)
            outer = (*outer, *(kind for kind in kinds if kind not in outer))
        pending.extend((child, outer) for child in ast.iter_child_nodes(node))
    return pairs


def _kinds(node: ast.AST) -> tuple[str, ...]:
    name = _NAMES[type(node)]
    found = [name]
    orelse: list[ast.stmt] = getattr(node, "orelse", [])
    if isinstance(node, ast.If) and len(orelse) == 1 and isinstance(orelse[0], ast.If):
        found.append("if elif")
    elif orelse:
        found.append(f"{name} else")
    if not isinstance(node, ast.If):
        found += sorted({f"{name} {way}" for way in _ways_out(node.body)})  # type: ignore[attr-defined]
    return tuple(found)


def _ways_out(statements: list[ast.stmt]) -> Iterator[str]:
    """How paths leave the loop of this body: its own `break` and `continue`, and every `return`."""
    pending: list[tuple[ast.AST, bool]] = [(statement, True) for statement in statements]
    while pending:
        node, own = pending.pop()
        if isinstance(node, ast.Return) or (own and isinstance(node, (ast.Break, ast.Continue))):
            yield _LEAVING[type(node)]
        if isinstance(node, (ast.For, ast.While)):
            pending.extend((child, False) for child in node.body)
            pending.extend((child, own) for child in node.orelse)  # their `break` is ours
        elif not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            pending.extend((child, own) for child in ast.iter_child_nodes(node))
