"""Long functions that are parsed in pieces have the tree that Python gives them as a whole."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright.lang import pieces
from opwright.lang.pieces import LONG, PlainAssign, parse_function
from opwright.lang.source import Source
from opwright.lang.syntax import Module

STATEMENTS = (
    "a = b + c",
    "a = b@c",
    "a = b ** c",
    "a=b//c",
    "a = b -c",
    "a = b - -c",
    "a = b + c ",
    "a = b < c",
    "a = None + c",
    "a = not b",
    "a = b.c",
    "a = op.Add()",
    "a = op.Add(b,)",
    "a = op.Add(None, b)",
    "a = op.Add(b,c)",
    "a = op.x.Add(b, c)",
    "    # a comment further in",
    "a = (b + c)",
    "a = (b) + c",
    "a = b + \\\n    c",
    "a, d = b, c",
    "a = d = b + c",
    "a = op.Add(b, c)",
    "a = op.Add(b, c)  # a sum",
    "a = op . Add(b, c)",
    "a = (op).Add(b, c)",
    "a = op.Add(b, axis=0)",
    "a = op.Add(b, c + 1)",
    "a = op.Concat(\n    b,\n    c,\n)",
    "a = b + c; d = b * c",
    "a: FLOAT = b + c",
    "a += b",
    "größe = a + b",
    "a = größe + b",
    "\uff41 = b + c",
    "# a comment",
    "",
    '"""text\n    a = b + c\n"""',
    "if a:\n    b = a + c\nelif b:\n    b = c + c\nelse:\n    c = a + b",
    "for i in range(3):\n    a = a + b\nelse:\n    b = a + a",
    "def inner(x):\n    y = x + a\n    return y",
    "@graph()\ndef body(x):\n    return x + a",
    "op.Add(a, b)",
    "return a + b",
)


def whole(node: ast.AST) -> str:
    """Everything that a tree says, places included."""
    if isinstance(node, PlainAssign):
        places = {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
        node = ast.Assign(node.targets, node.value, None, **places)
    return ast.dump(node, include_attributes=True)


def check(text: str, nested: bool) -> Module:
    found = parse_function(Source("f.py", text), nested)
    assert isinstance(found, Module)
    block, expected = found.tree.body[0], ast.parse(text).body[0]
    if nested:
        assert isinstance(block, ast.If)
        assert isinstance(expected, ast.If)
        block, expected = block.body[0], expected.body[0]
    assert isinstance(block, ast.FunctionDef)
    assert isinstance(expected, ast.FunctionDef)
    assert [whole(item) for item in block.body] == [whole(item) for item in expected.body]
    assert ast.dump(block.args, include_attributes=True) == ast.dump(expected.args, include_attributes=True)
    return found


def function(statements: list[str], margin: str, header: str) -> str:
    body = [f"{margin}    {line}" if line else "" for text in statements for line in text.split("\n")]
    text = "\n".join([*(f"{margin}{line}" for line in header.split("\n")), *body, ""])
    return f"if 1:\n{text}" if margin else text


HEADERS = ("@script()\ndef f(b, c):", "def f(\n    b,\n    c,\n):", 'def f(b, c):\n    """What it does."""')


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=40),
    st.sampled_from(("", "    ", "\t")),
    st.sampled_from(HEADERS),
)
def test_the_tree_is_that_of_the_whole(statements: list[str], margin: str, header: str) -> None:
    repeated = (statements + ["a = b * c"] * 5) * (LONG // (len(statements) + 5) + 1)
    check(function(repeated, margin, header), bool(margin))


def test_plain_statements_are_kept_without_their_trees() -> None:
    module = check(function(["a = b + c", "a = op.Add(a, b)"] * LONG, "", "def f(b, c):"), False)
    (found,) = module.functions()
    assert sum(isinstance(statement, PlainAssign) for statement in found.body) > LONG


@pytest.mark.parametrize(
    "broken", ["a = b +", '"""', "a = (b", "else:", "    a = b", "    a = b + c", "None = b + c", "a = op.if(b)"]
)
def test_what_python_refuses_is_refused_at_its_place(broken: str) -> None:
    text = function([*["a = b + c"] * LONG, broken, "a = b + c"], "", "def f(b, c):")
    found = parse_function(Source("f.py", text), False)
    assert not isinstance(found, Module)
    with pytest.raises(SyntaxError) as raised:
        ast.parse(text)
    assert found.code == "OW301"
    assert found.place is not None
    assert found.place.line == raised.value.lineno


def test_a_last_line_that_stands_too_far_in_is_refused() -> None:
    text = function([*["a = b + c"] * LONG, "    return a"], "", "def f(b, c):")
    found = parse_function(Source("f.py", text), False)
    assert not isinstance(found, Module)
    assert found.code == "OW301"


def test_pieces_that_seem_to_end_are_not_taken_for_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of a string that look like statements."""
    monkeypatch.setattr(pieces, "LONG", 10)
    text = function(['d = """', *["a = b + c"] * 200, '"""', "return d"], "", "def f(b, c):")
    check(text.replace('    d = """', '    d = """\\\n'), False)
