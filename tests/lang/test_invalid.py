"""Whatever a file says: diagnostics, each at its place, or success; never an exception of the compiler's own."""

from __future__ import annotations

import ast
import linecache
import re
import warnings
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from opwright import DiagnosticError, OnnxFunction
from opwright.diagnostics.diagnostic import Diagnostic
from opwright.diagnostics.registry import find_code
from opwright.lang.lower.statements import unroll
from opwright.lang.lower.statements.statement_rules import lower_block
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import SIZE_LIMIT, parse

from tests.lang.mutations import PIECES, STATEMENTS, mutate, valid_programs
from tests.lang.static_text import FILE, compile_text

HEADER = """\
import math
from typing import Literal, Sequence
import numpy as np
from opwright import BOOL, DOUBLE, FLOAT, INT64, UINT8, Graph, Opset, graph, script
from opwright import opset18 as op
"""
ADDRESS = re.compile(r"object at |0x[0-9a-f]{6}")
PROGRAMS = valid_programs()
SHARES = range(8)


def check(found: Sequence[Diagnostic], text: str, file: str) -> None:
    """Each finding has a page, a place inside the text, and words that are the same from run to run."""
    lines = text.split("\n")
    for item in found:
        assert find_code(item.code) is not None, item.code
        assert item.place is not None and item.place.file == file, item
        assert 1 <= item.place.line <= len(lines), item
        assert item.place.column >= 1
        words = f"{item.message} {item.reason} {item.help}"
        assert not ADDRESS.search(words), words
        assert not item.message.endswith(".")


def mutants(share: int, count: int) -> list[str]:
    random = Random(share)
    return [HEADER + mutate(random.choice(PROGRAMS), random) for _ in range(count)]


@pytest.mark.parametrize("share", SHARES)
def test_changed_programs_as_text(share: int) -> None:
    for text in mutants(share, 500):
        check(compile_text(text), text, FILE)


@pytest.mark.parametrize("share", SHARES)
def test_changed_programs_as_functions(share: int) -> None:
    for index, text in enumerate(mutants(100 + share, 150)):
        name = f"<mutant {share}.{index}>"
        function = run(text, name)
        if function is not None:
            try:
                function.to_function_protos(18)
            except DiagnosticError as error:
                check(error.diagnostics, text, name)


def run(text: str, name: str) -> OnnxFunction | None:
    """The function that the text defines, where Python itself accepts the text; nothing outside of it may loop."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, object] = {"__name__": "mutant"}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            statements = ast.parse(text).body
            if not all(
                isinstance(item, (ast.FunctionDef, ast.ImportFrom, ast.Import, ast.Assign)) for item in statements
            ):
                return None
            exec(compile(text, name, "exec", dont_inherit=True), namespace)
    except Exception:  # Python's own refusal, before there is anything to compile
        return None
    function = namespace.get("F")
    return function if isinstance(function, OnnxFunction) else None


@pytest.mark.parametrize("piece", PIECES)
def test_any_expression_anywhere(piece: str) -> None:
    for frame in (
        "return {}",
        "y = {}\n    return x + y",
        "return x + ({})",
        "return op.Add(x, {})",
        "return op.Softmax(x, axis=({}))",
        "return x[{}]",
        "if ({}):\n        x = -x\n    return x",
        "for i in ({}):\n        x = x + 1\n    return x",
        "while ({}):\n        x = x + 1\n    return x",
        "return ({})(x)",
        "return ({}).nothing",
        "return -x if ({}) else x",
        "return -({})",
        "return [{}][0]",
        "return math.sqrt({})",
        "return x is ({})",
        "x += {}\n    return x",
        "({})\n    return x",
    ):
        text = f"{HEADER}def F(x):\n    {frame.format(piece)}\n"
        check(compile_text(text), text, FILE)
        default = f"{HEADER}def F(x, n: int = {piece}):\n    return x\n"
        check(compile_text(default), default, FILE)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_any_statement_anywhere(statement: str) -> None:
    for frame in ("{}\nreturn x", "if op.ReduceSum(x) > 0:\n{}\nreturn x", "for i in range(op.Size(x)):\n{}\nreturn x"):
        inner = statement if frame.startswith("{}") else indented(statement)
        text = HEADER + "def F(x):\n" + indented(frame.format(inner)) + "\n"
        check(compile_text(text), text, FILE)


@pytest.mark.parametrize("statement", ["global K, L", "import os, math as m", "from math import pi, tau"])
def test_names_from_elsewhere_in_a_branch(statement: str) -> None:
    """They are no names that the function binds, and stand beside such ones, and a return, where the branches meet."""
    branch = f"    if op.ReduceSum(x) > 0:\n        {statement}\n        y = x\n        return x\n"
    text = f"{HEADER}def F(x):\n{branch}    return x\n"
    assert [item.code for item in compile_text(text)] == ["OW303"]


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("def F(x):\n    return " + "(" * 300 + "x" + ")" * 300, "OW301"),
        ("def F(x):\n    return " + "-" * 5000 + "x", "OW327"),
        ("def F(x):\n    return " + " + ".join(["x"] * 500), ""),
        ("def F(x):\n    return " + "op.Abs(" * 150 + "x" + ")" * 150, ""),
        ("def F(x):\n    return " + "x[" * 150 + "0" + "]" * 150, "OW340"),
        ("def F(x):\n    y = " + "[" * 150 + "x" + "]" * 150 + "\n    return x", ""),
        (
            "def F(x):\n" + "".join(f"{'    ' * depth}if x:\n" for depth in range(1, 110)) + "    " * 110 + "pass",
            "OW301",
        ),
        (
            "def F(x):\n" + "".join(f"{'    ' * depth}if x:\n" for depth in range(1, 90)) + "    " * 90 + "return x",
            "OW319",
        ),
        ("def F(x):\n    return " + "x if x else " * 900 + "x", "OW319"),
        ("def F(x):\n    return " + " and ".join(["x"] * 5000), ""),
        ("def F(x):\n    return " + "x < " * 5000 + "x", "OW319"),
        ("def F(x):\n    return x + " + "9" * 5000, "OW301"),
        ("def F(x):\n    return x * (2 ** (2 ** 1000))", "OW311"),
        ("def F(x):\n    for i in range(10 ** 9):\n        x = op.Softmax(x, axis=i)\n    return x", "OW311"),
        ("\0", "OW301"),
        ("def F(x):\n\treturn x\n        return x", "OW301"),
        ("# coding: latin-9\ndef F(x):\n    return x", ""),
    ],
    ids=range(17),
)
def test_what_is_too_much_or_too_deep_ends(text: str, code: str) -> None:
    source = f"{HEADER}{text}\n"
    found = compile_text(source)
    assert {item.code for item in found} == ({code} if code else set()), found[:3]
    check([item for item in found if item.place and item.place.line], source, FILE)


def test_more_copies_than_a_body_may_have_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def counted(low: Any, block: Any, env: Any) -> None:
        made.append(block)
        lower_block(low, block, env)

    monkeypatch.setattr(unroll, "lower_block", counted)
    loop = "    for i in range(10 ** 9):\n        x = op.Softmax(x, axis=i)\n"
    assert {item.code for item in compile_text(f"{HEADER}def F(x):\n{loop}    return x\n")} == {"OW311"}
    assert len(made) < 3
    left = f"{HEADER}def F(x):\n{loop}        if i == 5:\n            break\n    return x\n"
    assert not compile_text(left) and len(made) > 5


def test_a_file_without_end_is_not_read() -> None:
    found = parse(Source(FILE, "x = 1\n" * (SIZE_LIMIT // 6 + 1)))
    assert isinstance(found, Diagnostic) and found.code == "OW327"


@pytest.mark.parametrize("statement", ["return ()", "return", "return None", "pass"])
def test_a_function_without_outputs_is_none(statement: str) -> None:
    found = compile_text(f"def F(x):\n    {statement}\n")
    assert {item.code for item in found} == {"OW306"}


@pytest.mark.parametrize(
    "question", ["op.nothing == FLOAT", "op.nothing is None", "op.Abs in (1, op.nothing)", "{op.nothing: 1}"]
)
def test_operators_that_are_compared_exist(question: str) -> None:
    """As Python says of `op.nothing`, wherever it stands."""
    text = f"{HEADER}def F(x):\n    if {question}:\n        return -x\n    return x\n"
    assert [item.code for item in compile_text(text)] == ["OW201"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("if op.Size(x) > 0:\n        y = (x, x)\n    else:\n        y = x\n    return y", "OW308"),
        ("if op.Size(x) > 0:\n        y = [x, x]\n    else:\n        y = x\n    return y", "OW308"),
        ("y = x if op.Size(x) > 0 else (x, x)\n    return y", "OW307"),
    ],
)
def test_several_tensors_on_one_path_and_one_on_the_other_are_not_joined(body: str, code: str) -> None:
    text = f"{HEADER}def F(x):\n    {body}\n"
    assert [item.code for item in compile_text(text)] == [code]


def test_all_errors_of_a_function_are_found_at_once() -> None:
    text = "from opwright import opset18 as op\ndef F(x):\n    a = nothing\n\tb = x\n"
    assert [item.code for item in compile_text(text)] == ["OW301"]
    text = (
        "from opwright import opset18 as op\n"
        "def F(x):\n"
        "    a = nothing + 1\n"
        "    b = op.Sigmod(x)\n"
        "    for i in range(3):\n"
        "        c = x.mean()\n"
        "    if x:\n"
        "        d = op.Abs(x, x)\n"
        "    with x:\n"
        "        pass\n"
        "    return a + b\n"
    )
    found = sorted((item.place.line, item.code) for item in compile_text(text) if item.place)
    assert found == [(3, "OW302"), (4, "OW201"), (6, "OW304"), (8, "OW203"), (9, "OW303")]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("    return x + nothing", "nothing"),
        ("    return x + 'ä' + nothing", "nothing"),
        ("    return op.Abs(x) + op.Concat('漢字', nothing, axis=0)", "nothing"),
        ("\treturn x +\tnothing", "nothing"),
        ("    größe = x; return größe + nichts", "nichts"),
    ],
)
def test_a_place_counts_characters(line: str, marked: str) -> None:
    """Whatever width tabs and wide characters have; the text of a finding takes care of that."""
    text = f"from opwright import opset18 as op\ndef F(x):\n{line}\n"
    places = [item.place for item in compile_text(text) if item.code == "OW302"]
    assert [(place.line, line[place.column - 1 : place.end_column - 1]) for place in places if place] == [(3, marked)]
