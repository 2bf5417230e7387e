"""What a name is behind a loop that a `break` has left, where the loop's trips alone bind it: `else`, which runs where
the loop ends by itself, binds it too or ends. A search is written so."""

from __future__ import annotations

import itertools
import linecache

import numpy as np
import pytest
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, script
from opwright import opset18 as op

from tests.functions.everywhere import same_everywhere
from tests.shares import one_in

X = np.array([1.5, 2.0], np.float32)
COUNTS = [np.array(n, np.int64) for n in (0, 1, 3, 5)]


def _written(body: str) -> OnnxFunction:
    text = "@script()\ndef f(x: FLOAT['N'], n: INT64):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    name = f"<{hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"script": script, "FLOAT": FLOAT, "INT64": INT64, "op": op}
    exec(compile(text, name, "exec"), names)
    made = names["f"]
    assert isinstance(made, OnnxFunction)
    return made


def _compare(body: str) -> None:
    function = _written(body)
    for n in COUNTS:
        same_everywhere(function, X, n)


LOOPS = {
    "a computed range": "for i in range(n):",
    "a static range": "for i in range(4):",
    "a range down": "for i in range(n, 0, -1):",
    "a tuple": "for i in (1, 2, 3):",
    "no trip": "for i in range(0):",
    "the items of a list": "for i, row in enumerate([x, x + 1]):",
    "the rows of a tensor": "for i, row in enumerate(x):",
    "a condition": "i = 0\nwhile i < n:\n    i += 1",
}
SEARCHES = {
    "a name": "    if x[0] < i:\n        y = x * i\n        break\nelse:\n    y = x\nreturn y",
    "a name of each trip": "    y = x * i\n    if x[0] < i:\n        break\nelse:\n    y = -x\nreturn y",
    "`else` returns": "    if x[0] < i:\n        break\nelse:\n    return -x\nreturn x * i",
    "`else` binds the index": "    if x[0] < i:\n        break\nelse:\n    i = -1\nreturn x * i",
    "several": "    if n == i:\n        y = x\n        break\n    y = x * 2\n    if x[0] < i:\n        break\nelse:\n"
    "    y = x + 1\nreturn y",
    "each branch": "    if n == i:\n        y, k = x * i, 5\n        break\n    elif x[0] < i:\n        y, k = -x, i\n"
    "        break\nelse:\n    y, k = x, 0\nreturn y * k",
    "beside a return": "    if n == i:\n        return x * 9\n    if x[0] < i:\n        y = x * i\n        break\n"
    "else:\n    y = x\nreturn y",
    "beside `continue`": "    if n == i:\n        y = x\n        continue\n    if x[0] < i:\n        y = x * i\n"
    "        break\nelse:\n    y = x - 1\nreturn y",
    "a loop in the loop": "    for j in range(n):\n        if x[0] < i + j:\n            y = x * j\n            break\n"
    "    else:\n        continue\n    break\nelse:\n    return -x\nreturn y + i",
    "`else` of a loop in the loop breaks": "    for j in range(1, n):\n        y = x * j\n        k = j\n"
    "        if x[0] < i + j:\n            break\n    else:\n        y = x + i\n        k = 7\n        if n < 4:\n"
    "            break\n    x = y / k\nelse:\n    y = -x\n    k = 1\nreturn y * k",
    "in a loop": "    for j in range(n):\n        if x[0] < j:\n            y = x * j\n            break\n    else:\n"
    "        y = x + i\n    x = y / 2\nreturn x",
    "a tuple": "    if x[0] < i:\n        y = (x * i, i)\n        break\nelse:\n    y = (x, 7)\nreturn y[0] * y[1]",
    "a list": "    if x[0] < i:\n        y = [x * i, x]\n        break\nelse:\n    y = [x]\ny.append(x)\n"
    "return op.ReduceSum(y[0], keepdims=0) * len(y)",
}


def _programs() -> dict[str, str]:
    return {
        f"{what} of {over}": f"{loop}\n{search}"
        for (over, loop), (what, search) in itertools.product(LOOPS.items(), SEARCHES.items())
    }


@pytest.mark.parametrize("name", one_in(3, _programs()))
def test_searches(name: str) -> None:
    _compare(_programs()[name])


FORMS = {
    "an endless loop": "i = 0\nwhile True:\n    i += 1\n    if x[0] < i:\n        y = x * i\n        break\n"
    "    x = x - 1\nreturn y",
    "many trips": "for i in range(100000):\n    if x[0] < i:\n        break\nelse:\n    return -x\nreturn x * i",
    "a copy of the body that binds it": "for i in range(3):\n    if i == 0:\n        y = x * 2\n    if x[0] < i:\n"
    "        break\nelse:\n    y = -x\nreturn y",
    "one of many copies that binds it": "for i in range(70):\n    if i == 0:\n        y = x * 2\n    if x[0] < i:\n"
    "        break\nelse:\n    y = -x\nreturn y",
    "another type before": "i = x\nfor i in range(n):\n    if x[0] < i:\n        break\nelse:\n    return -x\n"
    "return x * i",
    "None": "for i in range(n):\n    if x[0] < i:\n        y = None\n        break\nelse:\n    return x\n"
    "return -x if y is None else x",
    "targets": "for i, (a, b) in enumerate(zip(x, x)):\n    if a < i * 2:\n        break\nelse:\n    return x[0]\n"
    "return a + b * i",
    "a helper": "def find(v, m):\n    for i in range(m):\n        if v[0] < i:\n            break\n    else:\n"
    "        return 0, v\n    return i, v * i\ni, y = find(x, n)\nreturn y + i",
}


@pytest.mark.parametrize("body", FORMS.values(), ids=list(FORMS))
def test_forms(body: str) -> None:
    _compare(body)


def test_trips_that_decide_alone_are_no_loop() -> None:
    f = _written("for i in range(3):\n    if i == 2:\n        y = x * i\n        break\nelse:\n    y = -x\nreturn y")
    assert [node.op_type for node in f.to_model_proto(opset=18).graph.node] == ["Constant", "Mul"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            "for i in range(n):\n    if x[0] < i:\n        break\n    y = x\nelse:\n    y = -x\nreturn y",
            "before its first",
        ),
        (
            "for i in range(n):\n    y = x\n    if x[0] < i:\n        break\nelse:\n    z = x\nreturn y",
            "inside the loop",
        ),
        ("for i in range(n):\n    y = x\n    if x[0] < i:\n        break\nreturn y", "inside the loop"),
        (
            "for i in range(n):\n    if x[0] < i:\n        y = x.shape\n        break\nelse:\n    y = (1,)\n"
            "return y + y",
            "at a `break` it is a tuple of ints",
        ),
    ],
)
def test_names_without_a_value(body: str, reason: str) -> None:
    with pytest.raises(DiagnosticError) as refused:
        _written(body).to_model_proto(opset=18)
    (code,) = {item.code for item in refused.value.diagnostics}
    assert code == "OW308"
    assert reason in refused.value.diagnostics[0].reason
