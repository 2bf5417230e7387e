"""The IR's text form: printed, read back, verified; and golden texts of small functions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest_lang import Compiler
from opwright.lang.ir_parse import IrSyntaxError, parse_function
from opwright.lang.ir_print import print_function
from opwright.lang.ir_verify import verify

GOLDEN = Path(__file__).parent / "golden"
FLOATS = {"T": ["float16", "float", "double"]}
FUNCTIONS = {
    "constants": ("def F(x):\n    return op.Max(x * 0.5, 1) + K\n\nK = math.sqrt(2)\n", {"x": "T"}, {"y": "T"}, FLOATS),
    "attributes": (
        "def F(x, axes=None, alpha: float = 0.5, keepdims: int = 1):\n"
        "    return op.ReduceSum(x * alpha, axes, keepdims=keepdims)\n",
        {"x": "T", "axes": "int64"},
        {"y": "T"},
        FLOATS,
    ),
    "branches": (
        "def F(x):\n    s = op.ReduceSum(x, keepdims=0)\n    if s > 3:\n        y = x\n    elif s > 0:\n"
        "        y = x * 2\n"
        "    else:\n        y = -x\n    return y + s\n",
        {"x": "float"},
        {"y": "float"},
        {},
    ),
    "loop": (
        "def F(x, n):\n    s = 0\n    for i in range(1, n, 2):\n        s = s + x * i\n    return s\n",
        {"x": "double", "n": "int64/0"},
        {"y": "double"},
        {},
    ),
    "several": (
        "def F(x):\n    a, b = op.TopK(x, [1], axis=0)\n    return b, a\n",
        {"x": "float"},
        {"i": "int64", "v": "float"},
        {},
    ),
    "strings": ("def F(x):\n    return op.Equal(x, 'a') | op.Equal(x, \"b'\")\n", {"x": "string"}, {"y": "bool"}, {}),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_golden_text(compiler: Compiler, golden: Callable[[Path, str], None], name: str) -> None:
    text, inputs, outputs, types = FUNCTIONS[name]
    function = compiler.function(text, inputs, outputs, types, opset=20)
    golden(GOLDEN / f"{name}.ir", print_function(function))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_text_reads_back_as_itself(compiler: Compiler, name: str) -> None:
    text, inputs, outputs, types = FUNCTIONS[name]
    function = compiler.function(text, inputs, outputs, types, opset=20)
    printed = print_function(function)
    again = parse_function(printed)
    assert print_function(again) == printed
    assert verify(function) == verify(again) == []


@pytest.mark.parametrize(
    "text", ["", "ir 9 a::B@1 opset 18", "ir 1 a::B@1 opset 18\n  %x: float[] = wrong", "ir 1 \x00"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises((IrSyntaxError, KeyError)):
        parse_function(text)


def test_the_verifier_sees_what_is_wrong(compiler: Compiler) -> None:
    function = compiler.function("def F(x):\n    y = x + 1\n    return y * y\n", {"x": "float"}, {"y": "float"})
    function.body.nodes.reverse()
    assert any("before it is assigned" in problem for problem in verify(function))
    function.body.nodes.reverse()
    function.body.nodes.append(function.body.nodes[-1])
    assert any("assigned twice" in problem for problem in verify(function))
    function.body.nodes.pop()
    function.outputs.append("z")
    assert any("outputs are named" in problem for problem in verify(function))
