"""What is written is laid out as a formatter of Python would lay it out: it changes nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opwright import DiagnosticError, decompile
from opwright.decompiler.layout import WIDTH, call_lines, def_lines, laid_out, sum_lines
from opwright.decompiler.literal_text import quoted

from tests.node_cases import node_cases

EVERY = 29
LONG = "a_name_that_is_really_much_longer_than_names_should_ever_be"


def formatted(folder: Path) -> None:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", f"--line-length={WIDTH}", "--diff", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_formatter_changes_nothing(tmp_path: Path) -> None:
    cases = node_cases()
    for case in cases[::EVERY]:
        for faithful in (False, True):
            try:
                made = decompile(case.model, side_file="m.npz", faithful=faithful)
            except DiagnosticError:
                continue
            (tmp_path / f"{case.name}_{faithful}.py").write_text(made.text)
    formatted(tmp_path)


@pytest.mark.parametrize(
    "line",
    [
        f"{LONG} = op.Concat({LONG}_1, {LONG}_2, axis=0)",
        f"{LONG} = {LONG}_1 + {LONG}_2",
        f"{LONG}_and_more = {LONG}_1**{LONG}_2",
        f"{LONG}_and_more = {LONG}_1[..., 1:2, :]",
        f"{LONG}{LONG}_12 = op.Identity(x)",
        f"{LONG}_1, {LONG}_2 = op.Split({LONG}, axis=0, num_outputs=2)",
        f"{LONG}_1, {LONG}_2 = {LONG}_3, {LONG}_4",
        f"x = op.Concat({LONG}, {LONG}, {LONG}, axis=0)",
        f'x = op.Constant(value_strings=["{LONG}", "(, [", "{LONG}", "="])',
        f"{LONG}: FLOAT[None, None] = op.Reshape({LONG}, {LONG})",
        f"{LONG}{LONG}: FLOAT[None, None] = op.Reshape({LONG}, {LONG})",
        f"def f({LONG}: FLOAT[2], {LONG}_2: FLOAT[2]) -> FLOAT[2]:\n    pass",
        f"def f({LONG}: FLOAT[2], {LONG}_2: FLOAT[2]) -> tuple[FLOAT[2, 3, 4], FLOAT[2, 3, 4], FLOAT[2, 3, 4], "
        "FLOAT[2, 3, 4], FLOAT[2, 3, 4], FLOAT[2, 3, 4], FLOAT[2, 3, 4], FLOAT[2, 3, 4]]:\n    pass",
        f"def f({LONG}_{LONG}: FLOAT[2]):\n    pass",
        f"def f():\n    return {LONG}, {LONG}_2, 3",
        f"from opwright import {', '.join(f'FLOAT{index}' for index in range(20))}",
        f'{LONG} = ARRAYS["{LONG}_and_more"]',
        f'{LONG}.text = "{LONG}_and_more"',
        f'y = f.to_model_proto(ir_version=10, names={{"{LONG}": "{LONG}", "a": "b"}}, imports={{"": 18}})',
    ],
)
def test_lines_that_are_too_long(line: str, tmp_path: Path) -> None:
    text = "\n".join([*laid_out(line.split("\n")), ""])
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(line))

    (tmp_path / "line.py").write_text(text)
    formatted(tmp_path)


_NAMES = st.integers(1, 130).map("n".__mul__)
_ARGUMENTS = st.one_of(_NAMES, st.sampled_from(["axis=-1", "pads=[1, 1]", 'mode="a, b = (c"', "0.5", "to=FLOAT"]))


@given(st.sampled_from(["", "    ", " " * 40]), _NAMES, _NAMES, st.lists(_ARGUMENTS, max_size=6))
@settings(max_examples=300, deadline=None)
def test_statements_that_are_written_broken_are_as_those_that_are_broken_later(
    indent: str, target: str, name: str, arguments: list[str]
) -> None:
    call = f"op.{name}("
    line = f"{indent}{target} = {call}{', '.join(arguments)})"
    if len(line) > WIDTH:
        assert laid_out(call_lines(indent, f"{target} =", call, arguments)) == laid_out([line])
    line = f"{indent}return {call}{', '.join(arguments)})"
    if len(line) > WIDTH:
        assert laid_out(call_lines(indent, "return", call, arguments)) == laid_out([line])
    line = f"{indent}{target} = {name} + {target}"
    if len(line) > WIDTH:
        assert laid_out(sum_lines(indent, target, name, " + ", target)) == laid_out([line])


def test_arrays_fill_their_lines() -> None:
    items = ", ".join(["[0.25, -1.5]", '"a, b"'] * 30)
    line = f"W_DATA = np.array([{items}], object)"
    lines = laid_out([line])
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) < 10
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(line))


@given(st.text(alphabet="ab\"'\\\n\té"))
@settings(max_examples=300)
def test_quoted_texts(text: str) -> None:
    assert ast.literal_eval(quoted(text)) == text


_PARAMETERS = st.one_of(
    _NAMES, st.sampled_from(["x: FLOAT[2, 'N']", "*", "y: INT64[...] = None", "axes: Sequence[int] = (1, 2)"])
)


@given(
    st.sampled_from(["", "    ", " " * 40]),
    _NAMES,
    st.lists(_PARAMETERS, max_size=6),
    st.sampled_from(["", " -> FLOAT[2]"]),
)
@settings(max_examples=300, deadline=None)
def test_heads_of_functions_too(indent: str, name: str, parameters: list[str], tail: str) -> None:
    line = f"{indent}def {name}({', '.join(parameters)}){tail}:"
    assert laid_out(def_lines(indent, name, parameters, tail)) == laid_out([line])
