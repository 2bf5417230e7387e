"""`**` of tensors that hold integers: exact on every runtime, or refused."""

from __future__ import annotations

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere

BASES = [0, 1, -1, 2, -2, 3, 7, 3000000001, 2**53 + 1, -(2**62) - 5]
NUMERIC = {"T": ["float", "int32", "int64"]}


def _operators(compiler: Compiler, body: str, **types: list[str]) -> list[str]:
    inputs = {"x": "T"} if types else {"x": "int64"}
    function = compiler.function(f"def F(x):\n    {body}\n", inputs, {"y": inputs["x"]}, types)
    return [node.callee.identity[1] for node in function.body.nodes if hasattr(node, "callee")]


@pytest.mark.parametrize("exponent", [1, 2, 3, 4, 5, 7, 10, 39, 63, 64, 100])
def test_powers_are_exact(compiler: Compiler, exponent: int) -> None:
    """Every bit of int64, which wraps around as numpy's does."""
    function = compiler.function(f"def F(x):\n    return x ** {exponent}\n", {"x": "int64"}, {"y": "int64"})
    x = np.array(BASES, np.int64)
    expected = [(base**exponent + 2**63) % 2**64 - 2**63 for base in BASES]
    for runtime, (got,) in run_everywhere(function, {"x": x}).items():
        assert got.tolist() == expected, runtime


@pytest.mark.parametrize("opset", [7, 11, 18])
def test_opsets_whose_pow_takes_no_integers(compiler: Compiler, opset: int) -> None:
    function = compiler.function("def F(x):\n    return x ** 3\n", {"x": "int64"}, {"y": "int64"}, opset=opset)
    for (got,) in run_everywhere(function, {"x": np.array([5, -3])}).values():
        assert got.tolist() == [125, -27]


def test_a_type_that_may_be_an_integer(compiler: Compiler) -> None:
    """The body holds for all of them, whichever the caller takes."""
    text = "def F(x):\n    return x ** 3\n"
    function = compiler.function(text, {"x": "T"}, {"y": "T"}, NUMERIC)
    x = np.array([208_065, -3], np.int64)
    for (got,) in run_everywhere(function, {"x": x}).values():
        assert got.tolist() == [208_065**3, -27]
    for (got,) in run_everywhere(function, {"x": np.array([1.5], np.float32)}).values():
        assert got.tolist() == [3.375]


@pytest.mark.parametrize("element", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("opset", [9, 18])
def test_the_power_of_zero_is_one(compiler: Compiler, element: str, opset: int) -> None:
    """Whether `Pow` takes the element type or not."""
    function = compiler.function("def F(x):\n    return x ** 0\n", {"x": element}, {"y": element}, opset=opset)
    for shape in ((2, 3), (0, 2), ()):
        for (got,) in run_everywhere(function, {"x": np.full(shape, -3, element)}).values():
            assert (got.dtype, got.tolist()) == (np.dtype(element), np.ones(shape).tolist())


def test_floats_are_raised_by_pow(compiler: Compiler) -> None:
    assert "Pow" in _operators(compiler, "return x ** 2", T=["float", "double"])
    assert _operators(compiler, "return x ** 2") == ["Mul"]


BODIES = [["y = x ** 3", "z = x * 0.5"], ["z = x * 0.5", "y = x ** 3"]]


@pytest.mark.parametrize("body", BODIES)
def test_what_the_base_holds_may_be_said_further_down(compiler: Compiler, body: list[str]) -> None:
    """The order of independent statements decides nothing."""
    lines = "".join(f"    {line}\n" for line in [*body, "return y + z"])
    function = compiler.function(f"def F(x):\n    x = op.Identity(x)\n{lines}", {"x": "float"}, {"y": "float"})
    names = [node.callee.identity[1] for node in function.body.nodes if hasattr(node, "callee")]
    assert "Pow" in names


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("x ** -1", "OW335"),
        ("x ** -2.0", "OW335"),
        ("x ** (1 - 3)", "OW335"),
        ("x ** 0.5", "OW313"),
        ("x ** x", "OW335"),
        ("2 ** x", "OW335"),
        ("2.0 ** x", "OW335"),
        ("x ** op.Constant(value_int=2)", "OW335"),
        ("x ** INT64(-1)", "OW335"),
        ("x ** len(x)", "OW335"),
        ("x ** FLOAT(2.0)", "OW335"),
        ("x ** f", "OW313"),
        ("x ** 2 ** 70", "OW313"),
        ("x ** n", "OW361"),
    ],
)
def test_refused(compiler: Compiler, expression: str, code: str) -> None:
    text = f"def F(x, n: int = 2, f: float = 2.0):\n    return {expression}\n"
    assert compiler.codes(text, {"x": "int64"}, {"y": "int64"}) == [code]


def test_a_promise_of_integers_is_kept(compiler: Compiler) -> None:
    (found,) = compiler.family("def F(x):\n    return x ** -1\n", {"x": "T"}, {"y": "T"}, NUMERIC).diagnostics
    assert (found.code, found.help.split(",")[0]) == ("OW335", "leave the integer types out of `T`")


def test_an_exponent_that_unrolling_makes_known(compiler: Compiler) -> None:
    text = "def F(x):\n    y = x\n    for i in range(4):\n        y = y + x ** i\n    return y\n"
    function = compiler.function(text, {"x": "int64"}, {"y": "int64"})
    for (got,) in run_everywhere(function, {"x": np.array([3])}).values():
        assert got.tolist() == [3 + 1 + 3 + 9 + 27]


@pytest.mark.parametrize("exponent", [0, 1, 2, 3])
@pytest.mark.parametrize("opset", [14, 15, 18])
def test_a_declared_type_that_pow_does_not_take(compiler: Compiler, opset: int, exponent: int) -> None:
    """It is declared, so there is a body for it: its own product."""
    text = f"def F(x):\n    return x ** {exponent}\n"
    family = compiler.family(text, {"x": "T"}, {"y": "T"}, {"T": ["float", "int8", "int32"]}, opset=opset)
    assert not family.diagnostics
    assert [variant.key for variant in family.variants] == [(("T", item),) for item in ("float", "int8", "int32")]
