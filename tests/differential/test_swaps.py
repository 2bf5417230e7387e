"""Which neighbours may be swapped."""

from __future__ import annotations

import ast
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import tests.differential.judge as judging
from tests.differential.judge import Outcome, judge
from tests.differential.swaps import independent, swapped
from tests.differential.test_found import F2, Found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x, y = y, x\nz = op.Cast(z, to=11)", True),
        ("x = y\nz = y", True),
        ("x = 1\ny = x", False),
        ("y = x\nx = 1", False),
        ("x = 1\nx = 2", False),
        ("x += 1\ny = x", False),
        ("ys.append(x)\nz = ys", False),
        ("ys.append(x)\nzs.append(x)", True),
        ("r = x.rank\ny = x + 1", True),
        ("ys[0] = x\nz = ys", False),
        ("x = 1\nreturn y", False),
        ("if x:\n    break\ny = 1", False),
        ("for i in x:\n    break\ny = 1", True),
        ("for i in x:\n    return i\ny = 1", False),
        ("for i in x:\n    pass\nelse:\n    break\ny = 1", False),
        ("def g(s):\n    return s + k\nk = 1", False),
        ("def g(s):\n    return s + k\nm = 1", True),
        ("'text'\nm = 1", False),
        ("match m:\n    case k:\n        pass\nz = k", False),
        ("m = (k := x)\nz = k", False),
        ("m = x.T\nz = x.size", True),
        ("m = np.ones(2)\nz = np.zeros(2)", True),
    ],
)
def test_independent(text: str, wanted: bool) -> None:
    tree = ast.parse(f"def F():\n    while True:\n{_indented(text)}")
    (function,) = tree.body
    assert isinstance(function, ast.FunctionDef) and isinstance(function.body[0], ast.While)
    first, second = function.body[0].body
    assert independent(first, second) is wanted


def test_the_fields_of_a_class_stay_in_their_order() -> None:
    text = "class Pair(NamedTuple):\n    a: int\n    b: int = 1\n\ndef F(x):\n    return x\n"
    assert all(swapped(text, Random(seed)) is None for seed in range(5))


@pytest.mark.parametrize("made", ["def g(v):\n        return v * k", "g = lambda v: v * k"])
def test_what_a_function_reads_is_read_where_it_is_called(made: str) -> None:
    text = f"def F(x):\n    k = 2\n    {made}\n    k = 3\n    y = g(x)\n    return y\n"
    assert all(swapped(text, Random(seed)) is None for seed in range(5))


def _indented(text: str) -> str:
    return "".join(f"        {line}\n" for line in text.splitlines())


def test_no_order_is_invented() -> None:
    assert swapped("def F(x):\n    y = x\n    z = y\n    return z\n", Random(1)) is None


TEXT = "def F(x, y):\n    z = x + 1\n    w = y * 2\n    return op.Concat(z, w, axis=0)\n"


def test_another_order_is_judged() -> None:
    program = Found(TEXT, "float", {"x": F2, "y": F2}, ranks={"x": 1, "y": 1}).program()
    other = swapped(TEXT, Random(1))
    assert other is not None and other.index("w = y") < other.index("z = x")
    verdict = judge(program.with_order(other))
    assert verdict.outcome is Outcome.AGREED, verdict
    refused = program.with_order(other.replace("y * 2", "y * nothing"))
    verdict = judge(refused)
    assert verdict.outcome is Outcome.DIFFERENT
    assert verdict.detail == "accepted in one order, OW302 in the other"


def test_orders_that_only_calls_tell_apart_are_different(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Found(TEXT, "float", {"x": F2, "y": F2}, ranks={"x": 1, "y": 1}).program()
    other = swapped(TEXT, Random(1))
    assert other is not None
    monkeypatch.setattr(judging, "_called", lambda item: "OW315" if item.text == other else b"")
    verdict = judge(program.with_order(other))
    assert verdict.detail == "called: accepted in one order, OW315 in the other"


LOOP = "def F(x, y, c: INT32):\n    z = c\n    for i in range(2):\n        {}\n        {}\n    return (x, y, z)\n"


def test_a_trial_that_fails_leaves_no_trace_in_types() -> None:
    pieces = ("x, y = y, x", "z = op.Cast(z, to=11)")
    arrays = {"x": F2, "y": F2.astype(np.float64), "c": np.array(3, np.int32)}
    program = Found(LOOP.format(*pieces), "float double double", arrays, ranks={"x": 1, "y": 1, "c": 0}).program()
    verdict = judge(program.with_order(LOOP.format(*reversed(pieces))))
    assert verdict.outcome is Outcome.AGREED, verdict


@pytest.mark.parametrize("value", ["op.Clip(x, max=o, min=0)", "op.Clip(x, 0, o)", "o if o is not None else x"])
def test_undeclared_types_that_become_equal_are_asked_for_by_an_input_that_is_there(value: str) -> None:
    pieces = (f"u = {value}", "w = op.ReduceSum(x, keepdims=0) > x.size")
    texts = [f"def F(x, o=None):\n    {one}\n    {two}\n    return x\n" for one, two in (pieces, pieces[::-1])]
    program = Found(texts[0], "float", {"x": F2}, ranks={"x": 1}).program()
    program = replace(program, inputs={**program.inputs, "o": "float/0"})  # which its case does not give
    verdict = judge(program.with_order(texts[1]))
    assert verdict.outcome is Outcome.AGREED, verdict
