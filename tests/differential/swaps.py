"""A program's statements in another order that means the same: neighbours that do not depend on each other swapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

_ROUNDS = 4  # so that a statement may move further than by one place
_ATTEMPTS = 8  # where an order comes back to the first
_NONE: Mapping[str, set[str]] = {}
_MODULES = ("op", "math", "np", "onnx", "TensorProto")  # a call of their attributes changes nothing


def swapped(text: str, random: Random) -> str | None:
    """Another text of the same meaning; None where no two neighbours are independent."""
    tree = ast.parse(text)
    called = _read_when_called(tree)
    before = ast.unparse(tree)
    blocks = list(_blocks(tree))
    for _ in range(_ATTEMPTS):
        for _ in range(_ROUNDS):
            for block in blocks:
                for index in range(len(block) - 1):
                    if random.random() < 0.5 and independent(block[index], block[index + 1], called):
                        block[index], block[index + 1] = block[index + 1], block[index]
        found = ast.unparse(tree)
        if found != before:
            return f"{found}\n"
    return None


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """The blocks of all functions. What a module or a class defines stays in its order."""
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef)):
            for field in ("body", "orelse"):
                block = getattr(node, field, None)
                if isinstance(block, list) and block:
                    yield block


def independent(first: ast.stmt, second: ast.stmt, called: Mapping[str, set[str]] = _NONE) -> bool:
    """Neither reads nor binds what the other binds, neither leaves the block, and neither may be a docstring.

    `called`: the functions inside others by name, and what each reads when it is called.
    """
    one, two = _effects(first), _effects(second)
    for found in (one, two):
        for name in sorted(found.reads & called.keys()):
            found.reads |= called[name]
    if one.leaves or two.leaves:
        return False
    return not (one.binds & (two.binds | two.reads) or two.binds & one.reads)


def _read_when_called(tree: ast.Module) -> dict[str, set[str]]:
    """What the functions and lambdas inside functions read, and what those read that they call."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node not in tree.body:
            found.setdefault(node.name, set()).update(_effects(node).reads)
        elif isinstance(node, ast.Assign) and any(isinstance(item, ast.Lambda) for item in ast.walk(node.value)):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, set()).update(_effects(node).reads)
    for _ in found:  # chains are no longer than there are functions
        for reads in found.values():
            for name in sorted(reads & found.keys()):
                reads |= found[name]
    return found


@dataclass(slots=True)
class _Effects:
    reads: set[str]
    binds: set[str]
    leaves: bool


def _effects(statement: ast.stmt) -> _Effects:
    found = _Effects(set(), set(), _leaves([statement]) or (isinstance(statement, ast.Expr) and _is_text(statement)))
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            (found.reads if isinstance(node.ctx, ast.Load) else found.binds).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.MatchAs, ast.MatchStar)) and node.name is not None:
            found.binds.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.binds.update(node.names)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.reads.add(node.target.id)
        elif isinstance(node, (ast.Attribute, ast.Subscript)):  # `ys.append(x)`, `ys[0] = x`: they may change `ys`
            owner = node.value
            changes = isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load)
            if changes and isinstance(owner, ast.Name) and owner.id not in _MODULES and not _is_question(node):
                found.binds.add(owner.id)
    return found


def _is_question(node: ast.Attribute | ast.Subscript) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("shape", "rank", "dtype", "ndim", "size", "T")


def _is_text(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Constant)


def _leaves(statements: Sequence[ast.AST], loops: int = 0) -> bool:
    """Whether a path leaves the block from inside: `return`, or a `break` or `continue` of a loop around it."""
    for node in statements:
        if isinstance(node, ast.Return) or (isinstance(node, (ast.Break, ast.Continue)) and not loops):
            return True
        if isinstance(node, (ast.For, ast.While)):
            if _leaves(node.body, loops + 1) or _leaves(node.orelse, loops):
                return True
        elif not isinstance(node, (ast.FunctionDef, ast.Lambda)) and _leaves(list(ast.iter_child_nodes(node)), loops):
            return True
    return False
