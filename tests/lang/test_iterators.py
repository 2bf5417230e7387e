"""Iterators are used once, as in Python, and before anything changes that they read: or they are refused."""

from __future__ import annotations

import linecache
from types import ModuleType
from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.functions import OnnxFunction

X = np.arange(1, 4, dtype=np.float32)
REFUSED = "refused"

PROGRAMS = {
    "a name that is read late": ("w = 100\ng = (x * (k * w) for k in (1, 2))\nw = 1\nreturn sum(g)", REFUSED),
    "a tensor that is read late": ("y = x\ng = (y * k for k in (1, 2))\ny = y + 1\nreturn sum(g)", REFUSED),
    "a list that grows": ("ys = [x]\ng = (y * 2 for y in ys)\nys.append(x)\nreturn sum(g)", REFUSED),
    "a list that zip runs over": ("ys = [x, x]\ng = zip(ys, ys)\nys[0] = x * 5\nreturn list(g)[0][0]", REFUSED),
    "a list that enumerate runs over": ("ys = [x]\ng = enumerate(ys)\nys.append(x)\nreturn x * len(list(g))", REFUSED),
    "read late by another function": (
        "y = x\ng = (y * k for k in (1, 2))\nf = lambda: sum(g)\ny = y * 7\nreturn f()",
        REFUSED,
    ),
    "read late in a helper": (
        "def made(y):\n    k = 2\n    g = (y * k for i in (1, 2))\n    k = 3\n    return g\nreturn sum(made(x))",
        REFUSED,
    ),
    "a function that it calls reads late": (
        "y = x\nf = lambda k: y * k\ng = (f(k) for k in (1, 2))\ny = y + 1\nreturn sum(g)",
        REFUSED,
    ),
    "an iterator that it runs over reads late": (
        "y = x\ng = (y * k for k in (1, 2))\nz = zip(g, (1, 2))\ny = y + 1\nreturn sum(a for a, b in z)",
        REFUSED,
    ),
    "a helper's iterator over a list that grows": (
        "def made(ys):\n    z = zip(ys, ys)\n    return z\nq = [x]\nz = made(q)\nq.append(x)\nreturn x * len(list(z))",
        REFUSED,
    ),
    "a name that the same expression binds": (
        "y = x\nreturn sum((y * k for k in (1, 2)), (y := y + 1))",
        REFUSED,
    ),
    "a name that is bound behind it": ("return sum([*(x * k for k in (1, 2)), (y := x + 1)]) + y", 5 * X + 2),
    "a helper's function reads late": (
        "def made(h):\n    g = (h(k) for k in (1, 2))\n    return g\ny = x\n"
        "g = made(lambda k: y * k)\ny = y + 1\nreturn sum(g)",
        REFUSED,
    ),
    "a function that is used at once": ("f = lambda k: x * k\nreturn sum(f(k) for k in (1, 2))", 3 * X),
    "what it does not read may change": ("n = 0\ng = (x * k for k in (1, 2))\nn = 2\nreturn sum(g) * n", 6 * X),
    "used twice": ("g = (x * k for k in (1, 2))\nreturn sum(g) + sum(g, x)", REFUSED),
    "used twice by any": ("g = (k for k in (1, 2))\nb = any(g)\nreturn x * sum(g) + b", REFUSED),
    "used twice by zip": ("g = (k for k in (1, 2))\np = list(zip(g, (1, 2)))\nreturn x * sum(g) + len(p)", REFUSED),
    "used twice in a helper": ("def f(g):\n    return sum(g) + sum(g, x)\nreturn f(x * k for k in (1, 2))", REFUSED),
    "used once in a helper": ("def f(g):\n    return sum(g)\nreturn f(x * k for k in (1, 2))", 3 * X),
    "of two names": ("h = g = (x * k for k in (1, 2))\nreturn sum(h) + sum(g, x)", REFUSED),
    "in each trip": (
        "z = zip((1, 2), (3, 4))\nfor i in (1, 2):\n    for a, b in z:\n        x = x + a * b\nreturn x",
        REFUSED,
    ),
    "in each trip of the run": (
        "z = zip((1, 2), (3, 4))\nfor i in range(op.Size(x)):\n    for a, b in z:\n        x = x + a * b\nreturn x",
        REFUSED,
    ),
    "made in each trip": (
        "for i in range(op.Size(x)):\n    z = zip((1, 2), (3, 4))\n    for a, b in z:\n        x = x + a * b\nreturn x",
        X + 33,
    ),
    "on one path": (
        "g = (x * k for k in (1, 2))\nif op.ReduceSum(x) > 0:\n    y = sum(g)\nelse:\n    y = x\nreturn y",
        3 * X,
    ),
    "in a list": ("p = [zip((1, 2), (3, 4))]\nfor a, b in p[0]:\n    x = x + a * b\nreturn x", REFUSED),
    "appended": ("ys = [x]\ng = zip(ys)\nys.append(g)\nreturn x", REFUSED),
    "by another binding": ("for g in (zip((1,)), zip((2,))):\n    x = x + sum(a for (a,) in g)\nreturn x", REFUSED),
    "a name, once": ("z = zip((1, 2), (3, 4))\nfor a, b in z:\n    x = x + a * b\nreturn x", X + 11),
    "unpacked": ("g = (x * k for k in (1, 2))\na, b = g\nreturn a - b", -X),
    "extends a list": ("ys = [x]\nys += (x * k for k in (1, 2))\nys.extend(zip((x,)))\nreturn sum(ys[:3])", 4 * X),
    "backwards": ("return x * sum(reversed(k for k in (1, 2)))", REFUSED),
    "views of a dictionary": (
        "v = {'a': 1, 'b': 2}.items()\nfor k, t in v:\n    x = x * t\nfor k, t in v:\n    x = x + t\nreturn x + len(v)",
        2 * X + 5,
    ),
    "values of a dictionary": ("v = {'a': 1, 'b': 2}.values()\nreturn x * max(v) + sum(v)", 2 * X + 3),
}


def function_of(lines: str, name: str) -> OnnxFunction[..., Any]:
    """The program as a module has it."""
    header = "from opwright import FLOAT, script\nfrom opwright import opset18 as op\n\n\n@script()\n"
    text = f'{header}def F(x: FLOAT["N"]):\n' + "".join(f"    {line}\n" for line in lines.split("\n"))
    file = f"<iterators: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = ModuleType("iterators")
    exec(compile(text, file, "exec"), module.__dict__)
    made: OnnxFunction[..., Any] = module.F
    return made


@pytest.mark.parametrize("name", PROGRAMS)
def test_iterators(name: str) -> None:
    lines, expected = PROGRAMS[name]
    function = function_of(lines, name)
    if isinstance(expected, str):
        with pytest.raises(DiagnosticError) as refused:
            function.to_function_proto()
        assert {item.code for item in refused.value.diagnostics} <= {"OW362", "OW312"}
        return
    model = function.to_model_proto()
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(None, {"x": X})[0], expected)
    np.testing.assert_array_equal(function(X), expected)
