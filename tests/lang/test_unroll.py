"""Loops over static lists: a `Loop` where the body can do with that, else unrolled; comprehensions and iterators."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang import ir
from opwright.lang.emit import emit_function

X = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.arange(10, 16, dtype=np.float32).reshape(2, 3)


def body(*lines: str, parameters: str = "x, y") -> str:
    return f"def F({parameters}):\n" + "".join(f"    {line}\n" for line in lines)


def compile_(compiler: Compiler, *lines: str) -> ir.Function:
    return compiler.function(body(*lines), {"x": "float", "y": "float"}, {"z": "float"})


def operators(function: ir.Function) -> list[str]:
    return [node.op_type for node in emit_function(function, "d").node if node.op_type != "Constant"]


def check(function: ir.Function, expected: np.ndarray, arrays: Mapping[str, np.ndarray] | None = None) -> None:
    for (got,) in run_everywhere(function, arrays or {"x": X, "y": Y}).values():
        np.testing.assert_allclose(got, expected, rtol=1e-6)
        assert got.shape == expected.shape


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


# ------------------------------------------------------------------------------------------- which loops unroll


def test_a_loop_that_only_computes_stays_a_loop(compiler: Compiler) -> None:
    function = compile_(compiler, "for i in range(3):", "    x = x * 2 + i", "return x + y")
    assert operators(function) == ["Loop", "Add"]
    expected = X
    for i in range(3):
        expected = expected * 2 + i
    check(function, expected + Y)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["for i in range(2):", "    x = op.Concat(x, y, axis=i % 2)", "    y = x", "return x"], None),
        (["for i in range(2):", "    x = op.Concat(x, x, axis=i)", "return x"], np.tile(X, (2, 2))),
        (["for i in range(1, -1, -1):", "    x = op.Softmax(x, axis=i)", "return x"], softmax(softmax(X, 1), 0)),
        (
            ["k = 0", "for i in range(2):", "    x = op.Concat(x, x, axis=k)", "    k += 1", "return x"],
            np.tile(X, (2, 2)),
        ),
        (["for i in range(3):", "    x = [x, y][i % 2] + i", "return x"], Y + 3),
        (["for i in range(3):", "    if i == 0:", "        z = x", "    else:", "        z = z * x", "return z"], X**3),
        (["z = None", "for i in range(3):", "    z = x if z is None else z * x", "return z"], X**3),
        (["p = (0, 1)", "for i in range(3):", "    p = (p[1], p[0])", "return op.Transpose(x, perm=p)"], X.T),
        (
            ["for i in range(2):", "    x = op.Unsqueeze(x, [0])", "    assert x.rank == 3 + i", "return x"],
            X[None, None],
        ),
    ],
)
def test_a_loop_whose_body_needs_its_items_unrolls(
    compiler: Compiler, lines: list[str], expected: np.ndarray | None
) -> None:
    function = compiler.function(body(*lines), {"x": "float/2", "y": "float/2"}, {"z": "float"})
    assert "Loop" not in operators(function)
    if expected is None:
        first = np.concatenate([X, Y], axis=0)
        expected = np.concatenate([first, first], axis=1)
    check(function, expected)


def test_only_the_loops_that_must_unroll_do(compiler: Compiler) -> None:
    outer = compile_(
        compiler, "for i in range(2):", "    for j in range(50):", "        x = op.Softmax(x, axis=i)", "return x + y"
    )
    assert operators(outer) == ["Loop", "Loop", "Add"]
    inner = compile_(
        compiler, "for i in range(50):", "    for j in range(2):", "        x = op.Softmax(x, axis=j)", "return x + y"
    )
    assert operators(inner) == ["Loop", "Add"]
    both = compile_(
        compiler,
        "for i in range(3):",
        "    for j in range(i):",
        "        x = op.Softmax(x, axis=i - j - 1)",
        "return x",
    )
    assert operators(both) == ["Softmax"] * 3


def test_unrolling_what_depends_on_each_of_many_nested_loops_is_quick(compiler: Compiler) -> None:
    depth = 12
    lines = [f"{'    ' * level}for i{level} in range(1):" for level in range(depth)]
    total = " + ".join(f"i{level}" for level in range(depth))
    function = compile_(compiler, *lines, f"{'    ' * depth}x = op.Softmax(x, axis={total})", "return x")
    assert operators(function) == ["Softmax"]


# ----------------------------------------------------------------------------------------------- leaving a loop


@pytest.mark.parametrize("count", [5, 30])  # few copies nest, many stand side by side
@pytest.mark.parametrize(
    "leave",
    [
        "break",
        "continue",
        "return x - 1",
    ],
)
def test_paths_that_leave_an_unrolled_loop(compiler: Compiler, count: int, leave: str) -> None:
    function = compile_(
        compiler,
        f"for i in range({count}):",
        "    if op.ReduceSum(x, keepdims=0) > 100:",
        f"        {leave}",
        "    x = op.Concat(x, x, axis=i % 2)" if count == 5 else "    x = op.CumSum(x, [0, 1][i % 2]) + 1",
        "else:",
        "    x = x + 1000",
        "return x",
    )

    def reference(x: np.ndarray) -> np.ndarray:
        for i in range(count):
            if x.sum() > 100:
                if leave == "break":
                    break
                if leave == "continue":
                    continue
                return x - 1
            x = np.concatenate([x, x], axis=i % 2) if count == 5 else np.cumsum(x, axis=i % 2) + 1
        else:
            x = x + 1000
        return x

    for x in (X, X + 100, X * 0):
        check(function, reference(x), {"x": x, "y": Y})


# ------------------------------------------------------------------------------------------------ static lists


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["return op.Sum(*[a * 2 for a in (x, y)])"], (X + Y) * 2),
        (["return op.Concat(*[a for a in (x, y) for k in range(2) if k != 0], axis=0)"], np.concatenate([X, Y])),
        (["for a, k in zip((x, y), (1, 2)):", "    x = x + a * k", "return x"], X + X + Y * 2),
        (["z = x", "for k, a in enumerate([x, y], start=1):", "    z = z + a * k", "return z"], X + X + Y * 2),
        (["z = x", "for a in reversed([x, y]):", "    z = z * 2 + a", "return z"], (X * 2 + Y) * 2 + X),
        (["a, b = [v for v in (x, y)]", "return a - b"], X - Y),
        (["n = len([x, y, x])", "return op.Softmax(x, axis=n - 2)"], softmax(X, 1)),
        (["return op.Transpose(x, perm=[i for i in reversed(range(2))])"], X.T),
        (["return op.Transpose(x, perm=list(reversed(range(2))))"], X.T),
        (["r = range(3)", "return x * r[2] + len(r)"], X * 2 + 3),
        (["return x if all(k > 0 for k in (1, 2)) and any([False, True]) else y"], X),
        (["x = op.Sum(*[x for x in (x, y)])", "return x"], X + Y),
        (["return x * max(k for k in (1, 3, 2)) + sum((k for k in (1, 2)), 4)"], X * 3 + 7),
        (["z = zip((x, y), (y, x))", "for a, b in z:", "    x = a - b", "return x"], Y - X),
        (["z = 0.0", "for c in 'abc':", "    z = z + (1 if c == 'b' else 2)", "return x + z"], X + 5),
    ],
)
def test_static_lists(compiler: Compiler, lines: list[str], expected: np.ndarray) -> None:
    check(compile_(compiler, *lines), expected)


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["return op.Sum(*x)"], "OW362"),
        (["return op.Sum(*[a for a in x])"], "OW362"),
        (["return op.Sum(*[a for a in (x, y) if op.Size(a) > 1])"], "OW362"),
        (["for a, b in zip((x,), (y, x), strict=True):", "    x = a + b", "return x"], "OW312"),
        (["for i in range(op.Size(y)):", "    x = op.Softmax(x, axis=i)", "return x"], "OW324"),
        (
            ["p = [0]", "while op.Size(x) > 3:", "    p = p + [1]", "return op.Transpose(x, perm=p)"],
            "OW321",
        ),
        (["for a in enumerate(x, 1):", "    x = a", "return x"], "OW321"),
        (["for i in range(3):", "    x = op.Nothing(x, axis=i)", "return x"], "OW201"),
        (["return any([op.Size(x) > 1])"], "OW362"),
        (["return x * len(zip((1,), (2,)))"], "OW312"),
        (["return x * max(reversed((1, 2)), reversed((3, 4)))"], "OW312"),
    ],
)
def test_refusals(compiler: Compiler, lines: list[str], code: str) -> None:
    assert compiler.codes(body(*lines), {"x": "float", "y": "float"}, {"z": "float"}) == [code]


def test_an_error_in_an_unrolled_loop_is_reported_once(compiler: Compiler) -> None:
    text = body("for i in range(3):", "    x = op.Softmax(x, axis=i, alpha=1)", "return x")
    assert compiler.codes(text, {"x": "float", "y": "float"}, {"z": "float"}) == ["OW205"]


def test_a_loop_bounded_by_an_attribute_whose_items_are_needed_is_a_template(compiler: Compiler) -> None:
    text = body("for i in range(n):", "    x = op.Softmax(x, axis=i)", "return x", parameters="x, n: int = 2")
    family = compiler.family(text, {"x": "float"}, {"z": "float"})
    assert [item.code for item in family.diagnostics] == ["OW361"]
    assert family.open_axes == ("n",)


# ---------------------------------------------------------------------------------- what is needed after a loop


@pytest.mark.parametrize(
    ("lines", "expected", "loops"),
    [
        (["for i in range(3):", "    z = x * i", "return z"], X * 2, True),
        (
            ["for i in range(3):", "    if i == 1:", "        continue", "    else:", "        z = x * i", "return z"],
            X * 2,
            False,
        ),
        (
            [
                "for i in range(3):",
                "    for j in range(2):",
                "        if i + j == 3:",
                "            z = x + i",
                "return z",
            ],
            X + 2,
            False,
        ),
        (["for i in range(2):", "    for j in range(2):", "        z = x * i + j", "return z"], X + 1, True),
        (["for i in range(3):", "    k = i * 2", "return x * k"], X * 4, True),
        (["k = 0", "for i in range(3):", "    k += i", "return op.Softmax(x, axis=k - 2)"], softmax(X, 1), False),
        (
            ["zs = []", "for i in range(2):", "    zs.append(x * (i + 1))", "return op.Concat(*zs, axis=1)"],
            np.concatenate([X, X * 2], axis=1),
            False,
        ),
        (
            ["for i in range(2):", "    x = op.Unsqueeze(x, [0])", "assert x.rank == 4", "return x"],
            X[None, None],
            False,
        ),
    ],
)
def test_what_is_needed_after_a_loop(compiler: Compiler, lines: list[str], expected: np.ndarray, loops: bool) -> None:
    types = {"x": "float/2", "y": "float/2"}
    function = compiler.function(body(*lines), types, {"z": "float"})
    assert ("Loop" in operators(function)) == loops
    check(function, expected)


@pytest.mark.parametrize(
    "lines",
    [
        ["for i in range(3):", "    if op.ReduceSum(x) > i:", "        break", "    z = x", "return z"],
        ["for i in range(0):", "    z = x", "return z"],
        ["for i in range(op.Size(x)):", "    z = x", "return z"],
        ["for i in range(3):", "    if op.ReduceSum(x) > i:", "        z = x", "return z"],
    ],
)
def test_names_that_a_loop_may_not_bind(compiler: Compiler, lines: list[str]) -> None:
    assert compiler.codes(body(*lines), {"x": "float", "y": "float"}, {"z": "float"}) == ["OW308"]


def test_a_break_after_the_name_is_bound(compiler: Compiler) -> None:
    function = compile_(
        compiler, "for i in range(5):", "    z = x + i", "    if op.ReduceSum(z) > 50:", "        break", "return z"
    )
    z = X
    for i in range(5):
        z = X + i
        if z.sum() > 50:
            break
    check(function, z)


def test_what_is_needed_after_a_loop_that_an_attribute_bounds(compiler: Compiler) -> None:
    lines = ["k = 0", "for i in range(n):", "    k += 1", "return op.Softmax(x, axis=k - 2)"]
    family = compiler.family(body(*lines, parameters="x, n: int = 2"), {"x": "float"}, {"z": "float"})
    assert ([item.code for item in family.diagnostics], family.open_axes) == (["OW361"], ("n",))
    text = "from typing import Literal\n" + body(*lines, parameters="x, n: Literal[2, 3] = 2")
    family = compiler.family(text, {"x": "float"}, {"z": "float"})
    assert [variant.key for variant in family.variants] == [(("n", "2"),), (("n", "3"),)]
    for variant, axis in zip(family.variants, (0, 1), strict=True):
        assert variant.lowered.function is not None
        check(variant.lowered.function, softmax(X, axis), {"x": X})
