"""The compiler's work grows as the program does: counted in calls of Python functions and in bytes, never in time."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from functools import partial
from types import FrameType

import pytest
from conftest_lang import Compiler
from opwright.lang.lower.paths import speculate

INPUTS = {"x": "float/1", "y": "float/1"}


@pytest.fixture(autouse=True)
def unchecked_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checking a trial takes time in proportion to all that there is."""
    monkeypatch.setattr(speculate, "watch", None)


def live_variables(count: int) -> str:
    lines = ["def F(x, y):", "    v0 = x + y", *(f"    v{i} = v{i - 1} * y" for i in range(1, count))]
    return "\n".join([*lines, f"    return op.Sum({_all(count)})"])


def branches(count: int) -> str:
    """Each `if` binds one of many names that are all read later."""
    lines = ["def F(x, y):", *(f"    v{i} = x + y" for i in range(count))]
    for i in range(0, count, 4):
        lines += [f"    if op.ReduceMax(v{i}, keepdims=0) > 0:", f"        v{i} = v{i} + 1.0"]
    return "\n".join([*lines, f"    return op.Sum({_all(count)})"])


def loops(count: int) -> str:
    lines = ["def F(x, y):", *(f"    v{i} = x + y" for i in range(count))]
    for i in range(0, count, 4):
        lines += [f"    for k{i} in range(3):", f"        v{i} = v{i} + x"]
    return "\n".join([*lines, f"    return op.Sum({_all(count)})"])


def numbers_that_become_tensors(count: int) -> str:
    """A loop that carries numbers, each of which meets a tensor in it."""
    lines = ["def F(x, y):", *(f"    v{i} = 0.0" for i in range(count)), "    for k in range(3):"]
    lines += [f"        v{i} = v{i} + x" for i in range(count)]
    return "\n".join([*lines, f"    return op.Sum({_all(count)})"])


def rest_after_a_break(count: int) -> str:
    lines = ["def F(x, y):", *(f"    v{i} = x + y" for i in range(count)), "    for k in range(3):"]
    lines += ["        if op.ReduceMax(x, keepdims=0) > 0:", "            break"]
    lines += [f"        v{i} = v{i} + 1.0" for i in range(count)]
    return "\n".join([*lines, f"    return op.Sum({_all(count)})"])


def constants(count: int) -> str:
    lines = ["def F(x, y):", "    v = x", *(f"    v = v + {i}.5" for i in range(count))]
    return "\n".join([*lines, "    return v + y"])


def operands(count: int) -> str:
    return "\n".join(["def F(x, y):", f"    return op.Sum({', '.join(['x'] * count)})"])


def calls_of_a_helper(count: int) -> str:
    lines = ["def helper(a, b):", "    return a + b", "", "def F(x, y):", "    v = x"]
    return "\n".join([*lines, *["    v = helper(v, y)"] * count, "    return v"])


def captured_numbers(count: int) -> str:
    """Each line reads one item of collections around the function."""
    lines = [f"W = {{{', '.join(f'{i}: {i}.5' for i in range(count))}}}", f"V = {(*range(count),)}", "def F(x, y):"]
    return "\n".join([*lines, *(f"    x = x * W[{i}] + V[{i}]" for i in range(count)), "    return x + y"])


def captured_arrays(count: int) -> str:
    lines = ["import numpy as np", *(f"A{i} = np.array([{i}.5])" for i in range(count))]
    lines += [f"W = {{{', '.join(f'{i}: A{i}' for i in range(count))}}}", "def F(x, y):"]
    return "\n".join([*lines, *(f"    x = op.CastLike(W[{i}], x) * x" for i in range(count)), "    return x + y"])


def nested_functions(count: int) -> str:
    lines = ["def F(x, y):", *(f"    def g{i}(a):\n        return a * x + y" for i in range(count))]
    return "\n".join([*lines, *(f"    v{i} = g{i}(g0(x))" for i in range(count)), f"    return op.Sum({_all(count)})"])


def scans(count: int) -> str:
    lines = [
        "def F(x, y):",
        "    def step(a, b):\n        a = a + op.Identity(b)\n        return a, a * b",
        "    v = x",
    ]
    scan = "    u, v = op.Scan(op.ReduceSum(v, keepdims=0), v, body=step, num_scan_inputs=1)"
    return "\n".join([*lines, *[scan] * count, "    return v + y"])


def lists_that_change(count: int) -> str:
    lines = ["def F(x, y):", "    v = [x * k for k in range(op.Size(x))]"]
    change = "    v[op.Size(y)] = x\n    w = v.pop()\n    v.insert(0, w)"
    return "\n".join([*lines, *[change] * (count // 4), "    return v[0]"])


def comprehensions(count: int) -> str:
    lines = ["def F(x, y):", *(f"    v{i} = [x * k + {i} for k in range(op.Size(y))][0]" for i in range(count // 2))]
    return "\n".join([*lines, f"    return op.Sum({_all(count // 2)})"])


def _all(count: int) -> str:
    return ", ".join(f"v{i}" for i in range(count))


PROGRAMS = [
    live_variables,
    branches,
    loops,
    numbers_that_become_tensors,
    rest_after_a_break,
    constants,
    operands,
    calls_of_a_helper,
    captured_numbers,
    captured_arrays,
    nested_functions,
    scans,
    lists_that_change,
    comprehensions,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_twice_the_program_takes_twice_the_calls(compiler: Compiler, program: Callable[[int], str]) -> None:
    def compiled(count: int) -> object:
        return compiler.function(program(count), INPUTS, {"result": "float"})

    compiled(16)  # what is found out once about operators
    once, twice = (calls_of(partial(compiled, count)) for count in (160, 320))
    assert twice < 2.15 * once


def static_choices(count: int) -> str:
    lines = ["def F(x, y):", *(f"    if {i} % 2 == 0:\n        x = y" for i in range(count))]
    return "\n".join([*lines, "    return x"])


def _list_in_copies(begin: str, change: str) -> Callable[[int], str]:
    """A list that changes in each copy of the body of a loop."""

    def program(count: int) -> str:
        lines = ["def F(x, y):", f"    v = {begin.format(count)}", f"    for i in [i for i in range({count})]:"]
        return "\n".join([*lines, f"        {change}", "    return op.Concat(*v, y, axis=0)"])

    return program


GROWING = {
    "static choices": static_choices,
    "append": _list_in_copies("[]", "v.append(x * i)"),
    "list +=": _list_in_copies("[]", "v += [x * i]"),
    "list +": _list_in_copies("[]", "v = v + [x * i]"),
    "tuple +": _list_in_copies("()", "v = v + (x * i,)"),
    "insert": _list_in_copies("[]", "v.insert(0, x * i)"),
    "an item": _list_in_copies("[x] * {}", "v[i] = x * i"),
    "pop": _list_in_copies("[x] * {}", "z = v.pop()"),
}


@pytest.mark.parametrize("program", GROWING.values(), ids=GROWING)
def test_twice_the_program_takes_twice_the_memory(compiler: Compiler, program: Callable[[int], str]) -> None:
    def compiled(count: int) -> object:
        return compiler.function(program(count), INPUTS, {"result": "float"})

    compiled(16)
    once, twice = (bytes_of(partial(compiled, count)) for count in (800, 1600))
    assert twice < 2.15 * once


def bytes_of(step: Callable[[], object]) -> int:
    """How many bytes a step needs at once, at most, where nothing is collected meanwhile."""
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


def nested_loops(depth: int) -> str:
    """The innermost of the loops makes tensors of what all of them carry."""
    lines = ["def F(x, y):", "    a = b = c = 0.0"]
    lines += [f"{'    ' * (level + 1)}for k{level} in range(3):" for level in range(depth)]
    margin = "    " * (depth + 1)
    return "\n".join([*lines, f"{margin}a = a + x", f"{margin}b = b + a", f"{margin}c = c + b", "    return a + b + c"])


def test_loops_in_each_other_cost_the_square_of_their_depth_at_most(compiler: Compiler) -> None:
    def compiled(depth: int) -> object:
        return compiler.function(nested_loops(depth), INPUTS, {"result": "float"})

    compiled(2)
    less, more = (calls_of(partial(compiled, depth)) for depth in (8, 16))
    assert more < 5 * less  # each loop looks at the indices of those inside, too


def calls_of(step: Callable[[], object]) -> int:
    """How many Python functions a step calls."""
    count = 0

    def seen(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        if event == "call":
            count += 1

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        step()
    finally:
        sys.setprofile(before)
    return count


def test_every_line_of_a_function_may_be_a_node(compiler: Compiler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opwright.lang.lower.state.context.NODE_LIMIT", 100)
    lines = ["def F(x, y):", "    v = x", *["    v = v + y"] * 500, "    return v"]
    assert compiler.codes("\n".join(lines), INPUTS, {"z": "float"}) == []
    lines[2:-1] = ["    for i in range(200):", "        v = op.Softmax(v, axis=i - i)"]
    assert compiler.codes("\n".join(lines), INPUTS, {"z": "float"}) == ["OW311"]
