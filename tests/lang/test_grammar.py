"""The table of statements and expressions, held against Python's own: its syntax tree, its tables of symbols."""

from __future__ import annotations

import ast
import symtable
from textwrap import dedent

import pytest
from opwright.lang.families.template_tree import UnknownSyntaxError, read_function, write_function
from opwright.lang.lower import rulebook, rules
from opwright.lang.text import grammar
from opwright.lang.text.free_names import free_names
from opwright.lang.text.grammar import FORMS, Kind

OF_PYTHON = {cls: form for cls, form in FORMS.items() if cls.__module__ == "ast"}
PARTS = (ast.FormattedValue, ast.Slice, ast.Starred)  # lowered with what they are part of


def test_every_statement_of_python_has_a_form() -> None:
    """Those of later Pythons too, once they are run here."""
    written = {cls for cls in ast.stmt.__subclasses__() if cls.__module__ == "ast"}
    assert written - set(OF_PYTHON) <= {getattr(ast, "TypeAlias", ast.stmt)}


@pytest.mark.parametrize("cls", OF_PYTHON, ids=lambda cls: cls.__name__)
def test_the_fields_of_a_form_are_those_of_python(cls: type[ast.AST]) -> None:
    names = [part.name for part in FORMS[cls].fields]
    assert len(set(names)) == len(names)
    assert set(names) <= set(cls._fields)


def test_what_is_part_of_the_language_has_a_rule_and_nothing_else_has() -> None:
    assert rulebook.RULES
    ruled = {*rules.STATEMENTS, *rules.FLOW, *rules.EXPRESSIONS}
    kinds = (Kind.BLOCK, Kind.EXPRESSION)
    taken = {cls for cls, form in OF_PYTHON.items() if form.kind in kinds and form.refused is None}
    assert taken - set(PARTS) == {cls for cls in ruled if cls.__module__ == "ast"}
    assert not set(rules.STATEMENTS) & set(rules.FLOW)


NAMES = {
    "assignments": ("a = 1\nb, (c, *d) = a\ne: Annotation = 2\nf += a\nx.g = 1\nx[h] = 2\ndel i\nj: Annotation"),
    "blocks": (
        "if a:\n  b = 1\nelse:\n  c = 1\nfor d, e in x:\n  f = 1\nelse:\n  g = 1\nwhile a:\n  h = 1\nelse:\n  i = 1"
    ),
    "match": (
        "match x:\n  case [a, *b, 1 as c] if d:\n    e = 1\n  case {'k': f, **g}:\n    pass\n"
        "  case int(h) | (h, 2):\n    pass"
    ),
    "refused": (
        "with x as (a, b), y as c:\n  d = 1\ntry:\n  e = 1\nexcept E as f:\n  g = 1\nelse:\n  h = 1\nfinally:\n  i = 1"
    ),
    "functions": ("def a(b):\n  c = d\nclass e(f):\n  g = 1\nh = lambda i: j\nk = [l for l in m if (n := l)]"),
    "walrus": "if (a := b) > (c := 2):\n  pass\nx[(d := 1)] = 0\nassert (e := x)\nreturn (f := x)",
    "asynchronous": "async def a():\n  b = 1",
}


def function_of(body: str) -> tuple[ast.FunctionDef, symtable.SymbolTable]:
    text = "def F(x, y):\n" + "\n".join(f"  {line}" for line in body.splitlines())
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node, symtable.symtable(text, "f", "exec").get_children()[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_local_names_are_those_of_python(name: str) -> None:
    node, table = function_of(NAMES[name])
    local = {item.get_name() for item in table.get_symbols() if item.is_local() and not item.is_parameter()}
    # Since Python 3.12 those of a comprehension are listed with them.
    targets = [item.target for item in ast.walk(node) if isinstance(item, ast.comprehension)]
    local -= {item.id for target in targets for item in ast.walk(target) if isinstance(item, ast.Name)}
    bound = grammar.assigned_names(node.body) + grammar.names_in_expressions(node.body)
    assert set(bound) - {"x", "y"} == local


ANNOTATIONS = {"Annotation"}  # are read as they stand


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"functions", "asynchronous"}))
def test_the_free_names_are_those_of_python(name: str) -> None:
    node, table = function_of(NAMES[name])
    free = {item.get_name() for item in table.get_symbols() if item.is_global()}
    assert set(free_names(node)) == free - ANNOTATIONS


def block(text: str) -> list[ast.stmt]:
    return ast.parse(dedent(text)).body


def test_statements_are_walked_in_the_order_of_the_text() -> None:
    text = NAMES["blocks"] + "\n" + NAMES["match"] + "\n" + NAMES["refused"]
    lines = [statement.lineno for statement in grammar.statements_in(block(text))]
    assert lines == sorted(lines)
    everything = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
    assert len(lines) == len(everything)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("break", True),
        ("if a:\n  pass\nelse:\n  break", True),
        ("match a:\n  case 1:\n    break", True),
        ("with a:\n  break", True),
        ("for i in x:\n  break", False),
        ("while a:\n  pass\nelse:\n  break", True),
        ("def f():\n  for i in x:\n    break", False),
    ],
)
def test_break_leaves_the_loop_that_it_stands_in(text: str, found: bool) -> None:
    assert grammar.has_break(block(text)) is found


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("return", True),
        ("raise E", True),
        ("if a:\n  return\nelse:\n  continue", True),
        ("if a:\n  return", False),
        ("if a:\n  return\nelse:\n  if b:\n    break\n  else:\n    return", True),
        ("for i in x:\n  return", False),
        ("match a:\n  case 1:\n    return", False),
        ("return\nx = 1", False),
    ],
)
def test_a_block_ends_where_no_path_goes_on(text: str, ends: bool) -> None:
    assert grammar.ends(block(text)) is ends


def test_what_changes_in_place() -> None:
    text = "a += b\nc[0] = d\ne[0], (f[1], *g[2]) = h\ni[0] += 1\nj = k\nfor l[0] in m:\n  pass\nn[0]: int = 1"
    found = [name for statement in block(text) for name in grammar.changed_by(statement)]
    assert found == ["a", "c", "e", "f", "g", "i", "l", "n"]


def test_returns_of_functions_inside_are_their_own() -> None:
    text = "if a:\n  return 1\nmatch a:\n  case 2:\n    return\ndef g():\n  return 3\nreturn 4"
    node, _ = function_of(text)
    returned = [None if value is None else ast.unparse(value) for value in grammar.returned_by(node)]
    assert returned == ["1", None, "4"]


def test_a_template_holds_what_the_grammar_takes() -> None:
    body = "\n".join((NAMES["assignments"].replace("\ndel i", ""), NAMES["blocks"], "return x"))
    node, _ = function_of(body)
    for inner in node.args.args:
        assert inner.annotation is None
    assert ast.dump(read_function(write_function(node, lambda annotation: annotation))) == ast.dump(node)


@pytest.mark.parametrize("body", [NAMES["refused"], "raise x", "global z", "import z", "return {1, 2}"])
def test_a_template_refuses_what_the_grammar_refuses(body: str) -> None:
    node, _ = function_of(body)
    with pytest.raises(UnknownSyntaxError):
        write_function(node, lambda annotation: annotation)
