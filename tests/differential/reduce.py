"""Makes a program that shows a difference smaller, as long as it shows the same kind of difference."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

from tests.differential.isolated import Judge
from tests.differential.judge import RUNTIMES, Outcome, Verdict
from tests.differential.program import Program
from tests.differential.swaps import swapped

ATTEMPTS = 3000


def reduce_program(
    program: Program, runtimes: tuple[str, ...] = RUNTIMES, bug: str | None = None
) -> tuple[Program, Verdict]:
    """The smallest program found by leaving parts out, and its verdict."""
    with Judge() as judge:
        verdict, _ = judge(program, runtimes, bug)
        if verdict.outcome is not Outcome.DIFFERENT:
            return program, verdict
        kind = _kind(verdict)
        attempts = 0
        changed = True
        while changed and attempts < ATTEMPTS:
            changed = False
            for smaller in _smaller(program, verdict):
                attempts += 1
                found = _judged(judge, smaller, runtimes, bug)
                if found is not None and found.outcome is Outcome.DIFFERENT and _kind(found) == kind:
                    program, verdict, changed = smaller, found, True
                    break
                if attempts >= ATTEMPTS:
                    break
    return program, verdict


def _judged(judge: Judge, program: Program, runtimes: tuple[str, ...], bug: str | None) -> Verdict | None:
    """A program cut short may be none of ours: one that our own tools stumble over is not smaller, it is another."""
    try:
        return judge(program, runtimes, bug)[0]
    except Exception:
        return None


def _kind(verdict: Verdict) -> str:
    """A detail without its numbers and names."""
    return re.sub(r"`[^`]*`|\[.*?\]|[-\d.]+(e[-+]?\d+)?|nan|inf|True|False|expected.*", "", verdict.detail)[:60]


def _smaller(program: Program, verdict: Verdict) -> Iterator[Program]:
    if len(program.cases) > 1:
        yield program.with_cases((program.cases[verdict.case],))
    seen: set[str] = {program.text}
    for tree in _cut(ast.parse(program.text)):
        try:
            text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
            ast.parse(text)
        except (SyntaxError, ValueError, AttributeError, TypeError):
            continue
        if text not in seen and "def F(" in text:
            seen.add(text)
            other = swapped(text, Random(0)) if program.other else ""
            if other is not None:
                yield replace(program, text=text, other=other)


def _cut(tree: ast.Module) -> Iterator[ast.Module]:
    """Every tree with one part left out or replaced by one of its own parts; large parts first."""
    blocks = [
        (index, field)
        for index, node in enumerate(ast.walk(tree))
        for field in ("body", "orelse")
        if isinstance(getattr(node, field, None), list)
    ]
    for index, field in blocks:
        length = len(getattr(_nth(tree, index), field))
        for position in reversed(range(length)):
            yield from _without_statement(tree, index, field, position)
    for index, node in enumerate(ast.walk(tree)):
        if isinstance(node, ast.expr):
            yield from _simpler_expressions(tree, index, node)


def _nth(tree: ast.AST, index: int) -> ast.AST:
    for position, node in enumerate(ast.walk(tree)):
        if position == index:
            return node
    raise IndexError(index)


def _without_statement(tree: ast.Module, index: int, field: str, position: int) -> Iterator[ast.Module]:
    statement = getattr(_nth(tree, index), field)[position]
    replacements: list[list[ast.stmt]] = [[]]
    for inner in ("body", "orelse"):
        block = getattr(statement, inner, None)
        if block and isinstance(block, list) and not isinstance(statement, ast.FunctionDef):
            replacements.append(block)
    for replacement in replacements:
        other = copy.deepcopy(tree)
        owner = _nth(other, index)
        block = getattr(owner, field)
        block[position : position + 1] = copy.deepcopy(replacement)
        if not block and field == "body" and not isinstance(owner, ast.Module):
            block.append(ast.Pass())
        yield other


def _simpler_expressions(tree: ast.Module, index: int, node: ast.expr) -> Iterator[ast.Module]:
    """The expression replaced by each of its direct operands, or by a number."""
    if isinstance(node, ast.Constant) or isinstance(getattr(node, "ctx", None), ast.Store):
        return
    children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    if isinstance(node, ast.Call):
        children = [*node.args, *(keyword.value for keyword in node.keywords)]
    if isinstance(node, ast.Attribute):
        return
    candidates: list[ast.expr] = list(children)
    if not isinstance(node, ast.Name):
        candidates += [ast.Constant(1), ast.Constant(True)]
    for candidate in candidates:
        other = copy.deepcopy(tree)
        wanted = _nth(other, index)
        yield _Replaced(wanted, copy.deepcopy(candidate)).visit(other)


class _Replaced(ast.NodeTransformer):
    def __init__(self, wanted: ast.AST, replacement: ast.expr) -> None:
        self.wanted = wanted
        self.replacement = replacement

    def visit(self, node: ast.AST) -> ast.AST:
        return self.replacement if node is self.wanted else self.generic_visit(node)
