"""Codes of findings are for readers: what the compiler tries after a refusal follows from the finding's `depends_on`,
which is said where the refusal is raised. A new finding, or a new place for an old code, changes nothing by itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMPILER = (
    *(ROOT / "library" / "opwright" / room for room in ("lang", "live", "eager", "builder")),
    ROOT / "buildtool" / "opwright_build" / "compile",
)
CODE = re.compile(r"OW[0-9]{1,3}")


def steering(tree: ast.AST) -> Iterator[int]:
    """The lines where codes are compared or collected, and where that of a finding is."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others) if any(map(_is_code, (left, *others))):
                yield node.lineno
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items) if any(map(_is_text, items)):
                yield node.lineno
            case ast.Dict(keys=keys) if any(map(_is_text, filter(None, keys))):
                yield node.lineno
            case ast.MatchValue(value=subject) | ast.Match(subject=subject) if _is_code(subject):
                yield subject.lineno
            case ast.Subscript(value=owner) | ast.Attribute(value=owner) if _is_code(owner):
                yield owner.lineno


def _is_code(node: ast.expr) -> bool:
    return _is_text(node) or (isinstance(node, ast.Attribute) and node.attr == "code")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value) is not None


def test_no_code_of_a_finding_decides_what_the_compiler_does() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}"
        for room in COMPILER
        for path in sorted(room.rglob("*.py"))
        for line in steering(ast.parse(path.read_bytes()))
    ]
    assert not found, "say `depends_on=` where the finding is raised, and ask for that"


@pytest.mark.parametrize(
    "source",
    [
        "found.code == 'OW208'",
        "found.code in REFUSED",
        "'OW208' in codes",
        "REFUSED = frozenset({'OW208', 'OW314'})",
        "REFUSED = ('OW208',)",
        "found.code.startswith('OW2')",
        "found.code[:3]",
        "match found.code:\n    case 'OW208': pass",
    ],
)
def test_code_that_decides_by_a_code_is_found(source: str) -> None:
    assert list(steering(ast.parse(source)))


@pytest.mark.parametrize(
    "source", ["low.error('OW208', text)", "code = 'OW212' if silent else 'OW222'", "low.error(error.code, text)"]
)
def test_code_that_says_a_code_is_not(source: str) -> None:
    assert not list(steering(ast.parse(source)))
