"""How much the lowering asks of classes: each question about the class of a value is a place to forget when a class is
added. Rules by class (`lower/rules.py`) and methods of operands and types take their place; the number only goes down.
"""

from __future__ import annotations

import ast

import pytest

from tests.own_specs import ROOT

LOWERING = ROOT / "library" / "opwright" / "lang" / "lower"
MOST = 23.0  # for each 1,000 lines; the number follows the count down

ASKING = ("isinstance", "issubclass")


def questions(tree: ast.AST) -> int:
    """Calls of isinstance and issubclass, comparisons of `type(x)`, and cases of `match` over classes."""
    return sum(_asks(node) for node in ast.walk(tree))


def _asks(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ASKING
    if isinstance(node, ast.Compare):
        return any(map(_is_type_of, (node.left, *node.comparators)))
    return isinstance(node, ast.match_case) and any(isinstance(part, ast.MatchClass) for part in ast.walk(node.pattern))


def _is_type_of(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type"


def test_the_lowering_asks_less_and_less_of_classes() -> None:
    found, lines = {}, 0
    for path in sorted(LOWERING.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found[path.name] = questions(ast.parse(text))
        lines += text.count("\n")
    density = 1000 * sum(found.values()) / lines
    worst = sorted(found.items(), key=lambda item: -item[1])[:5]
    assert density <= MOST, f"{density:.1f} for each 1,000 lines, most of them in {worst}; see {__doc__}"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("isinstance(x, int) and not issubclass(y, A)", 2),
        ("type(x) is int", 1),
        ("kind in (type(x), type(y))", 0),
        ("type(x) in TABLE", 1),
        ("TABLE.get(type(x))", 0),
        ("match x:\n  case int(): pass\n  case A(b=1): pass\n  case (int(), 2): pass\n  case 3: pass", 3),
    ],
)
def test_what_counts(text: str, count: int) -> None:
    assert questions(ast.parse(text)) == count
