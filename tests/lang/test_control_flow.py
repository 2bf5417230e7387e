"""`if`, `for`, `return`: the compiled graph computes what the same text computes as Python on numpy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere
from opwright.lang import ir
from opwright.lang.ir_verify import verify

from tests.shares import one_in

PROGRAMS = {
    "one branch assigns": "y = x\nif op.ReduceSum(x, keepdims=0) > 0:\n    y = -x\nreturn y",
    "both assign": "if op.ReduceSum(x, keepdims=0) > 0:\n    y = x + 1\nelse:\n    y = x - 1\nreturn y * 2",
    "early return": "if op.ReduceSum(x, keepdims=0) > 0:\n    return x\ny = x * 2\nreturn y + 1",
    "guard chain": (
        "s = op.ReduceSum(x, keepdims=0)\nif s > 10:\n    return x\nif s > 0:\n    return x + 1\nreturn x + 2"
    ),
    "elif": (
        "s = op.ReduceSum(x, keepdims=0)\nif s > 10:\n    y = x\nelif s > 0:\n    y = x + 1\nelse:\n"
        "    y = x + 2\nreturn y"
    ),
    "swap": "a = x\nb = x * 2\nif op.ReduceSum(x, keepdims=0) > 0:\n    a, b = b, a\nreturn a - b * 3",
    "a parameter is assigned": "if op.ReduceSum(x, keepdims=0) > 0:\n    x = x + 1\nreturn x",
    "weak numbers join": "s = 1\nif op.ReduceSum(x, keepdims=0) > 0:\n    s = 2\nreturn x * s",
    "a number joins a tensor": "s = 0.0\nif op.ReduceSum(x, keepdims=0) > 0:\n    s = x\nreturn x + s",
    "loop": "y = x\nfor i in range(3):\n    y = y * 2 + i\nreturn y",
    "loop of runtime length": "y = x\nfor i in range(n):\n    y = y + i\nreturn y",
    "start and step": "y = x\nfor i in range(2, n, 3):\n    y = y * 2 + i\nreturn y",
    "down": "y = x\nfor i in range(n, -2, -2):\n    y = y * 2 + i\nreturn y",
    "fibonacci": "a = x\nb = x * 0 + 1\nfor i in range(n):\n    a, b = b, a + b\nreturn a",
    "weak sum": "s = 0\nfor i in range(4):\n    s = s + x\nreturn s + x",
    "nested loops": "y = x\nfor i in range(3):\n    for j in range(n):\n        y = y + i * j\nreturn y",
    "a loop in a branch": (
        "y = x\nif op.ReduceSum(x, keepdims=0) > 0:\n    for i in range(n):\n        y = y + x\nelse:\n"
        "    y = -x\nreturn y"
    ),
    "a branch in a loop": (
        "y = x\nfor i in range(n):\n    if op.ReduceSum(y, keepdims=0) > 5:\n        y = y - 4\n"
        "    else:\n        y = y + 3\nreturn y"
    ),
    "a name that is dead where a loop is left": (
        "f = x\nfor i in range(n):\n    x = x + f\n    if op.ReduceSum(x, keepdims=0) > 3:\n"
        "        for j in range(n):\n            f = x + j\n            x = x + f\n        break\nreturn x"
    ),
    "a name that is dead where a `while` is left": (
        "f = x\ni = 0\nwhile i < n:\n    i = i + 1\n    x = x + f\n    if op.ReduceSum(x, keepdims=0) > 3:\n"
        "        for j in range(2):\n            f = x + i\n            x = x + f\n        break\n"
        "    x = x + 1\nreturn x"
    ),
    "augmented": "y = x\ny += 1\ny *= x\nfor i in range(2):\n    y -= i\nreturn y",
    "the index after the loop": "y = x\nfor i in range(5):\n    y = y + 1\nreturn y * i",
    "a static list": "y = x\nfor k in (1, 2.5, 3):\n    y = y * k\nreturn y",
    "helper": "return helper(x, b=2) + helper(x)",
    "static branch": "if K > 1:\n    return x * K\nreturn x",
    "the index is assigned in the loop": "y = x\nfor i in range(4):\n    i = i * 2\n    y = y + i\nreturn y",
    "the index is assigned and read after": "y = x\nfor i in range(3):\n    y = y + i\n    i = 7\nreturn y * i",
    "nested return": (
        "s = op.ReduceSum(x, keepdims=0)\nif s > 0:\n    if s > 10:\n        return x\n    y = x + 1\n"
        "else:\n    y = x - 1\nreturn y * 2"
    ),
    "returns on some paths of both": (
        "s = op.ReduceSum(x, keepdims=0)\nif s > 0:\n    if s > 10:\n        return x\nelse:\n"
        "    if s < -1:\n        return -x\n"
        "z = x * 3\nif s == 0:\n    return z\nreturn z + 1"
    ),
    "return in a loop": (
        "y = x\nfor i in range(n):\n    if op.ReduceSum(y, keepdims=0) > 5:\n        return y * 10\n"
        "    y = y + 2\nreturn y"
    ),
    "return at once in a loop": "for i in range(n):\n    return x + i\nreturn x - 1",
    "break": (
        "y = x\nfor i in range(10):\n    if op.ReduceSum(y, keepdims=0) > 5:\n        break\n    y = y + 2\nreturn y"
    ),
    "break in the middle": (
        "y = x\nfor i in range(n):\n    y = y + 1\n    if op.ReduceSum(y, keepdims=0) > 5:\n"
        "        break\n    y = y * 2\nreturn y"
    ),
    "continue": (
        "y = x\nfor i in range(n):\n    if op.ReduceSum(y, keepdims=0) > 5:\n        continue\n"
        "    y = y + i\n    y = y * 2\nreturn y"
    ),
    "break and continue": (
        "y = x\nfor i in range(8):\n    s = op.ReduceSum(y, keepdims=0)\n    if s > 20:\n        break\n"
        "    elif s > 5:\n        y = y + 3\n"
        "        continue\n    y = y + i\nreturn y"
    ),
    "continue in one of three arms": (
        "y = x\nfor i in range(n):\n    if i < 2:\n        v = x * 2\n    elif i == 2:\n        continue\n"
        "    else:\n        v = x + 1\n    y = y + v\nreturn y"
    ),
    "break inside an arm": (
        "y = x\nfor i in range(n):\n    if op.ReduceSum(y, keepdims=0) > 0:\n        if i > 2:\n            break\n"
        "        v = x + 1\n    else:\n        v = x + 3\n    y = y + v\nreturn y"
    ),
    "break and continue before names of other types": (
        "y = x\nfor k in (1, 2, 3):\n    if op.ReduceSum(y, keepdims=0) > 0:\n        if n > k:\n            continue\n"
        "        if n == k:\n            t = 5\n            break\n        t = y * k\n    else:\n        t = x + 3\n"
        "    y = y + t\nreturn y"
    ),
    "continue in while true": (
        "y = x\nk = 0\nwhile True:\n    k = k + 1\n    if k > 4:\n        return y\n    if k < n:\n"
        "        if op.ReduceSum(y, keepdims=0) > 9:\n            continue\n        v = x * 2\n    else:\n"
        "        v = x + 1\n    y = y + v\nreturn y"
    ),
    "names that each trip binds anew": (
        "pair = (x, 1)\nt = 3\nmode = 'a'\ny = pair[0] + t + len(mode)\nfor i in range(n):\n    pair = (y, 2)\n"
        "    t = x * i\n    for mode in ('b', 'cc'):\n        y = pair[0] * pair[1] + t * len(mode)\nreturn y"
    ),
    "names that a loop in a loop binds anew": (
        "y = x\nt = None\nfor i in range(n):\n    for j in range(2):\n        if op.ReduceSum(y, keepdims=0) > 9:\n"
        "            break\n        t = (j, y)\n        y = t[1] + t[0]\n    t = {'a': y}\n    y = t['a'] - 1\nreturn y"
    ),
    "values that no loop carries, read behind copies": (
        "s = 'a'\ny = x * len(s)\nfor t in range(2):\n    s = 'bb'\n    p = (y * len(s), t)\n    mode = {'k': 'edge'}\n"
        "    y = y + 1\nif n > 1:\n    return p[0] + p[1]\nreturn y * len(mode['k']) + len(s)"
    ),
    "values of copies in a loop": (
        "y = x\nfor i in range(n):\n    for t in range(3):\n        p = (y * t, t)\n    y = y + p[0] + p[1]\nreturn y"
    ),
    "a declaration in a loop": (
        "z = x\ny = x\nfor i in range(n):\n    z: FLOAT['N']\n    if i > 0:\n        y = y + z\n    z = y * 2\nreturn y"
    ),
    "for else with break": (
        "y = x\nfor i in range(n):\n    if op.ReduceSum(y, keepdims=0) > 5:\n        break\n"
        "    y = y + 1\nelse:\n    y = y * 7\nreturn y"
    ),
    "the index after a break": (
        "y = x\ni = 9\nfor i in range(n):\n    if op.ReduceSum(y, keepdims=0) > 5:\n        break\n"
        "    y = y + 1\nreturn y * i"
    ),
    "while": "y = x\nwhile op.ReduceSum(y, keepdims=0) < 10:\n    y = y + 3\nreturn y",
    "while with break": (
        "y = x\nk = 0\nwhile k < n:\n    k = k + 1\n    if op.ReduceSum(y, keepdims=0) > 5:\n"
        "        break\n    y = y + k\nreturn y * k"
    ),
    "while true": (
        "y = x\nwhile True:\n    y = y + 1\n    if op.ReduceSum(y, keepdims=0) > 5:\n        return y\nreturn x"
    ),
    "while else": (
        "y = x\nk = 0\nwhile k < 3:\n    k += 1\n    y = y + 1\n"
        "    if op.ReduceSum(y, keepdims=0) > 5:\n        break\nelse:\n    y = -y\nreturn y"
    ),
    "loops within loops with exits": (
        "y = x\nfor i in range(3):\n    for j in range(n):\n"
        "        if op.ReduceSum(y, keepdims=0) > 9:\n            break\n        y = y + j\n"
        "    else:\n        y = y + 1\n        continue\n    y = y - 5\nreturn y"
    ),
    "a loop in a loop returns": (
        "y = x\nfor i in range(3):\n    for j in range(n):\n        y = y + j\n"
        "        if op.ReduceSum(y, keepdims=0) > 9:\n            return y\n"
        "return -y"
    ),
    "only a loop inside is left": (
        "y = x\nfor i in range(3):\n    for j in range(n):\n"
        "        if op.ReduceSum(y, keepdims=0) > 9:\n            break\n        y = y + j\n"
        "    y = y - 1\nreturn y * i"
    ),
    "the else of a loop inside leaves": (
        "y = x\nfor i in range(3):\n    for j in range(n):\n"
        "        if op.ReduceSum(y, keepdims=0) > 9:\n            break\n        y = y + j\n"
        "    else:\n        break\n    y = y - 1\nreturn y * i"
    ),
    "while true around a loop that is left": (
        "y = x\nwhile True:\n    for j in range(3):\n        if op.ReduceSum(y, keepdims=0) > 5:\n            break\n"
        "        y = y + 1\n    else:\n        continue\n    return y"
    ),
    "break in an unrolled loop": (
        "y = x\nfor k in (1, 2, 3):\n    if op.ReduceSum(y, keepdims=0) > 5:\n        break\n"
        "    y = y + k\nelse:\n    y = y * 2\nreturn y"
    ),
    "and": "s = op.ReduceSum(x, keepdims=0)\nif s > 0 and s < 10 and n > 0:\n    return x\nreturn -x",
    "or": "s = op.ReduceSum(x, keepdims=0)\nif s > 10 or s < -1 or not n > 1:\n    return x\nreturn -x",
    "chain": "s = op.ReduceSum(x, keepdims=0)\nif -2 < s < 4 < n + 1:\n    return x\nreturn -x",
    "conditional expression": "s = op.ReduceSum(x, keepdims=0)\nreturn x + 1 if s > 0 else x * 2 if n > 1 else -x",
    "and as a value": "y = x\nfor i in range(n):\n    y = y + (i and 7) + (i or 5)\nreturn y",
    "not as a value": "b = not n\nreturn x + 1 if b else x",
    "for else": "y = x\nfor i in range(n):\n    y = y + 1\nelse:\n    y = y * 2\nreturn y",
}
TOP = "K = math.sqrt(4.0)\n\n\ndef helper(a, b=3):\n    c = a * b\n    return c + 1\n\n\n"


class NumpyOpset:
    """What the programs use of the operators, in numpy."""

    @staticmethod
    def ReduceSum(x: np.ndarray, keepdims: int) -> np.ndarray:
        return np.sum(x, keepdims=bool(keepdims))


class Immutable(np.ndarray):
    """An array whose augmented assignments make new arrays, as those of tensors do."""

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __isub__(self, other: Any) -> Any:
        return self - other

    def __imul__(self, other: Any) -> Any:
        return self * other


def as_python(program: str, x: np.ndarray, n: np.ndarray) -> Any:
    import math

    scope: dict[str, Any] = {"op": NumpyOpset, "math": math}
    body = "".join(f"    {line}\n" for line in program.splitlines())
    exec(f"{TOP}def F(x, n):\n{body}", scope)
    return scope["F"](x.view(Immutable), int(n))


@pytest.mark.parametrize("name", one_in(3, sorted(PROGRAMS)))
def test_compiled_equals_python(compiler: Compiler, name: str) -> None:
    program = PROGRAMS[name]
    body = "".join(f"    {line}\n" for line in program.splitlines())
    function = compiler.function(f"{TOP}def F(x, n):\n{body}", {"x": "float", "n": "int64/0"}, {"y": "float"})
    assert verify(function) == []
    for values in ([1.0, 2.0], [-3.0, 1.0], [20.0, 0.5], [0.0, 0.0]):
        for trips in (0, 1, 4):
            x, n = np.array(values, np.float32), np.array(trips, np.int64)
            expected = as_python(program, x, n)
            for runtime, (got,) in run_everywhere(function, {"x": x, "n": n}).items():
                np.testing.assert_array_equal(
                    got, np.asarray(expected, np.float32), err_msg=f"{runtime}, {values}, {trips}"
                )


@pytest.mark.parametrize(
    ("program", "code"),
    [
        ("if op.ReduceSum(x, keepdims=0) > 0:\n    y = x\nreturn y", "OW308"),
        ("for i in range(n):\n    y = x\nreturn y", "OW308"),
        ("for i in range(n):\n    x = x + i\nreturn x + i", "OW308"),
        ("t = None\nfor i in range(n):\n    t = x * 2\n    x = x + t\nreturn t", "OW321"),
        ("t = None\nfor i in range(n):\n    if i > 1:\n        t = x\n    x = x + 1\n    t = t\nreturn x", "OW321"),
        (
            "while True:\n    if n > 0:\n        if n > 1:\n            break\n        v = x\n    else:\n"
            "        v = -x\n    x = x + v\nreturn v",
            "OW308",
        ),
        (
            "for i in range(n):\n    if i > 0:\n        if i > 1:\n            continue\n        v = x\n    else:\n"
            "        w = x\n    x = x + v\nreturn x",
            "OW308",
        ),
        (
            "for k in (1, 2):\n    if n > 1:\n        if n > 2:\n            v = op.Cast(x, to=INT64)\n"
            "            break\n        v = x * 2\n    else:\n        v = x + 1\n    x = x + v\n"
            "v: INT64['N']\nreturn v",
            "OW308",
        ),
        ("if op.ReduceSum(x, keepdims=0) > 0:\n    return x", "OW306"),
        ("if op.ReduceSum(x, keepdims=0) > 0:\n    return x, x\nreturn x", "OW307"),
        ("y = x\ndel y\nreturn y", "OW308"),
        ("K = K + 1\nreturn x * K", "OW308"),
        ("a, = op.TopK(x, [1])\nreturn a", "OW328"),
        ("y = x\nfor i in range(n):\n    y = op.Shape(y)\nreturn x", "OW321"),
        ("if op.ReduceSum(x, keepdims=0) > 0:\n    y = 1\nelse:\n    y = op.Shape(x)\nreturn x + y", "OW315"),
        ("if op.ReduceSum(x, keepdims=0) > 0:\n    y = x\nelse:\n    y = op.Shape(x)\nreturn x + y", "OW308"),
    ],
)
def test_refusals(compiler: Compiler, program: str, code: str) -> None:
    body = "".join(f"    {line}\n" for line in program.splitlines())
    assert compiler.codes(f"{TOP}def F(x, n):\n{body}", {"x": "float", "n": "int64/0"}, {"y": "float"}) == [code]


def test_an_unread_result_of_a_branch_is_dropped(compiler: Compiler) -> None:
    text = (
        "def F(x):\n    y = x\n    if op.ReduceSum(x, keepdims=0) > 0:\n        y = -x\n"
        "        z = op.Exp(x)\n    return y\n"
    )
    function = compiler.function(text, {"x": "float"}, {"y": "float"})
    branches = [node for node in function.body.nodes if isinstance(node, ir.If)]
    assert len(branches) == 1 and len(branches[0].results) == 1
    names = [node.callee.identity[1] for _, node in ir.walk(function.body) if isinstance(node, ir.Call)]
    assert "Exp" not in names


@pytest.mark.parametrize(
    ("program", "left", "states"),
    [
        # The flag of `break` is the condition, and the next condition its opposite.
        ("for i in range(n):\n    x = x * 2\n    if not (x[0] < 100):\n        break\nreturn x", [], 1),
        ("for i in range(n):\n    if x[0] > 3:\n        break\n    x = x * 2\nreturn x", ["Not", "If"], 1),
        ("found = False\nif n > 3:\n    found = True\nif not found:\n    x = -x\nreturn x", ["Not", "If"], 0),
        (
            "found = False\nif n > 3:\n    found = True\nfound = not found\nif not found:\n    x = -x\nreturn x",
            ["If"],
            0,
        ),
        ("found = n > 3\nfound = found and found\nif found or found:\n    x = -x\nreturn x", ["If"], 0),
        # What nothing reads is carried no further, and what only that is made of.
        ("t = x\nu = x\nfor i in range(n):\n    u = t\n    t = t * u\n    x = x + 1\nreturn x", [], 1),
        ("t = x\nu = x\nfor i in range(n):\n    x = x + u\n    u = t * 2\n    t = u + 1\nreturn x", [], 3),
    ],
)
def test_flags_are_the_conditions_that_they_follow_from(
    compiler: Compiler, program: str, left: list[str], states: int
) -> None:
    body = "".join(f"    {line}\n" for line in program.splitlines())
    function = compiler.function(f"{TOP}def F(x, n):\n{body}", {"x": "float/1", "n": "int64/0"}, {"y": "float"})
    assert verify(function) == []
    found = [node for _, node in ir.walk(function.body)]
    negations = ["Not" for node in found if isinstance(node, ir.Call) and node.callee.identity[1] == "Not"]
    assert [*negations, *("If" for node in found if isinstance(node, ir.If))] == left
    assert sum(len(node.results) for node in found if isinstance(node, ir.Loop)) == states
    for values in ([1.0, 2.0], [60.0, 0.5], [-3.0, 0.0]):
        for trips in (0, 1, 5):
            x, n = np.array(values, np.float32), np.array(trips, np.int64)
            expected = np.asarray(as_python(program, x, n), np.float32)
            for runtime, (got,) in run_everywhere(function, {"x": x, "n": n}).items():
                np.testing.assert_array_equal(got, expected, err_msg=f"{runtime}, {values}, {trips}")


def test_loops_that_return_other_ranks(compiler: Compiler) -> None:
    """What the first could have returned is no value of the rank that the second declares: onnxruntime makes room for
    the result of a loop beforehand, of that shape, and a loop without trips gives what entered it."""
    program = (
        "for i in range(n):\n    if op.ReduceSum(x, keepdims=0) > 50:\n        return x * i\n"
        "else:\n    for i in range(n):\n        for j in range(n):\n"
        "            return op.ReduceSum(x, keepdims=0) * j\nreturn x + 1"
    )
    body = "".join(f"    {line}\n" for line in program.splitlines())
    function = compiler.function(f"{TOP}def F(x, n):\n{body}", {"x": "float/1", "n": "int64/0"}, {"y": "float"})
    assert verify(function) == []
    for values in ([1.0, 2.0], [60.0, 0.5]):
        for trips in (0, 1, 3):
            x, n = np.array(values, np.float32), np.array(trips, np.int64)
            expected = np.asarray(as_python(program, x, n), np.float32)
            for runtime, (got,) in run_everywhere(function, {"x": x, "n": n}).items():
                np.testing.assert_array_equal(got, expected, err_msg=f"{runtime}, {values}, {trips}")


def test_several_errors_are_found_at_once(compiler: Compiler) -> None:
    text = "def F(x):\n    a = op.Sigmoyd(x)\n    b = nowhere + a\n    return op.Relu(x, x), b\n"
    assert compiler.codes(text, {"x": "float"}, {"y": "float"}) == ["OW201", "OW302", "OW203"]


@pytest.mark.parametrize("head", ["if flag:", "for i in range(n):", "while flag:"])
def test_as_many_blocks_as_protobuf_reads(compiler: Compiler, head: str) -> None:
    def text(depth: int) -> str:
        blocks = "".join(f"{'    ' * level}{head}\n" for level in range(1, depth + 1))
        return f"def F(x, flag, n):\n{blocks}{'    ' * (depth + 1)}x = x + 1\n    return x"

    inputs, outputs = {"x": "float/1", "flag": "bool/0", "n": "int64/0"}, {"z": "float"}
    assert compiler.codes(text(31), inputs, outputs) == []
    assert compiler.codes(text(32), inputs, outputs) == ["OW319"]
