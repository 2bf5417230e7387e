"""Long chains of conditions: as deep as the logarithm of their length, each arm emitted once, and Python's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang import ir

from tests.shares import one_in

INPUTS = {"x": "float", "n": "int64"}
X = np.array([2.0], np.float32)


def _chain(arms: list[tuple[str, str]], last: str, head: str = "", tail: str = "return y", word: str = "elif") -> str:
    """A function with one arm for each pair of condition and statement."""
    lines = ["def F(x, n):", *([f"    {head}"] if head else [])]
    for index, (condition, statement) in enumerate(arms):
        lines += [f"    {word if index else 'if'} {condition}:", f"        {statement}"]
    lines += (["    else:", f"        {last}"] if last else []) + ([f"    {tail}"] if tail else [])
    return "\n".join(lines) + "\n"


def _depth(region: ir.Region) -> int:
    """How deep the regions of a body nest."""
    inner = [_depth(nested) for node in region.nodes for nested in node.regions()]
    return 1 + max(inner) if inner else 0


def _size(function: ir.Function) -> int:
    return sum(1 for _ in ir.walk(function.body))


def _check(compiler: Compiler, text: str, numbers: list[int]) -> ir.Function:
    """Python's own result for each number."""
    names: dict[str, Any] = {}
    exec(text, names)
    python: Callable[[np.ndarray, int], np.ndarray] = names["F"]
    function = compiler.function(text, INPUTS, {"y": "float"})
    for number in numbers:
        for runtime, (got,) in run_everywhere(function, {"x": X, "n": np.array(number)}).items():
            np.testing.assert_allclose(got, python(X, number), err_msg=f"{runtime}, n = {number}")
    return function


RETURNS = [(f"n == {k}", f"return x + {k}.0") for k in range(40)]
ASSIGNS = [(f"n == {k}", f"y = x + {k}.0") for k in range(40)]
KINDS = {
    "returns": _chain(RETURNS, "return -x", tail=""),
    "returns and a rest": _chain(RETURNS, "", tail="return -x"),
    "guards": _chain(RETURNS, "", tail="return -x", word="if"),
    "a new name": _chain(ASSIGNS, "y = -x"),
    "a name from before": _chain(ASSIGNS, "", head="y = x"),
    "the rest inside the arm that goes on": _chain(
        [*RETURNS[:38], ("n == 38", "y = x")], "return -x", tail="return y * 2"
    ),
    "returns and assignments": _chain(
        [pair for pairs in zip(RETURNS[::2], ASSIGNS[1::2], strict=True) for pair in pairs], "y = -x"
    ),
    "static arms between": _chain(
        [pair for k, one in enumerate(ASSIGNS[:20]) for pair in (one, (f"{k} > 50", "y = x.no_such_thing"))], "y = -x"
    ),
    "an arm that is always taken": _chain([*ASSIGNS[:30], ("2 > 1", "y = x * 9"), *ASSIGNS[30:]], "y = -x"),
    "all arms static": _chain([(f"{k} == 30", f"y = x + {k}") for k in range(40)], "y = -x"),
    "several names": _chain(
        [(f"n == {k}", f"y = x + {k}.0" if k % 2 else f"z = x - {k}.0") for k in range(40)],
        "",
        "y = z = x",
        "return y + z",
    ),
}


@pytest.mark.parametrize("kind", one_in(2, KINDS))
def test_values(compiler: Compiler, kind: str) -> None:
    function = _check(compiler, KINDS[kind], [-1, 0, 19, 30, 38])
    assert _depth(function.body) <= 7


@pytest.mark.parametrize("kind", ["break", "continue"])
def test_in_a_loop(compiler: Compiler, kind: str) -> None:
    arms = "".join(
        f"        {'elif' if k else 'if'} i == {k}:\n            {kind if k % 7 == 6 else f'y = y + {k}.0'}\n"
        for k in range(40)
    )
    _check(
        compiler,
        f"def F(x, n):\n    y = x\n    for i in range(n):\n{arms}        y = y * 1.5\n    return y\n",
        [0, 3, 9],
    )


@pytest.mark.long
def test_250_arms(compiler: Compiler) -> None:
    text = _chain([(f"n == {k}", f"return x + {k}.0") for k in range(250)], "return -x", tail="")
    function = compiler.function(text, INPUTS, {"y": "float"})
    assert _depth(function.body) <= 9
    for runtime, (got,) in run_everywhere(function, {"x": X, "n": np.array(237)}).items():
        assert got.tolist() == [239.0], runtime


def test_the_size_is_linear(compiler: Compiler) -> None:
    sizes = []
    for count in (20, 40, 80):
        text = _chain([(f"n == {k}", f"y = x + {k}.0") for k in range(count)], "y = -x")
        sizes.append(_size(compiler.function(text, INPUTS, {"y": "float"})))
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])


def test_conditions_are_asked_in_turn(compiler: Compiler) -> None:
    """A condition that cannot be computed is not, where an arm before is taken."""
    text = _chain(
        [("op.Size(x) < 5", "y = x * 2"), *((f"op.Gather(x, [4])[0] > {k}", "y = x * 3") for k in range(9))], "y = x"
    )
    function = compiler.function(text, INPUTS, {"y": "float"})
    for (got,) in run_everywhere(function, {"x": X, "n": np.array(0)}).values():
        assert got.tolist() == [4.0]


def test_a_name_without_a_value_names_the_condition(compiler: Compiler) -> None:
    arms = [(f"n == {k}", "z = x" if k == 5 else "y = x") for k in range(12)]
    (found,) = compiler.family(_chain(arms, "y = x"), INPUTS, {"y": "float"}).diagnostics
    assert (found.code, found.reason) == ("OW308", "it is not bound when the condition in line 14 is true")
    (found,) = compiler.family(_chain(ASSIGNS[:12], ""), INPUTS, {"y": "float"}).diagnostics
    assert (found.code, found.reason) == ("OW308", "it is not bound when the condition in line 26 is false")


def test_errors_in_conditions_and_arms(compiler: Compiler) -> None:
    bad = [*ASSIGNS[:6], ("op.NoSuch(x)", "y = x"), *ASSIGNS[6:12]]
    assert compiler.codes(_chain(bad, "y = x"), INPUTS, {"y": "float"}) == ["OW201"]
    bad = [*ASSIGNS[:6], ("n == 7", "y = op.NoSuch(x)"), *ASSIGNS[6:12]]
    assert compiler.codes(_chain(bad, "y = x"), INPUTS, {"y": "float"}) == ["OW201"]
    guards = _chain([*RETURNS[:6], ("op.NoSuch(x)", "return x"), *RETURNS[6:12]], "", tail="return x", word="if")
    assert compiler.codes(guards, INPUTS, {"y": "float"}) == ["OW201"]
