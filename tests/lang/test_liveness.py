"""Names that nothing reads later: where paths meet their values need not be of one type."""

from __future__ import annotations

import ast
import runpy
from collections.abc import Callable
from pathlib import Path

import opwright
import pytest
from conftest_lang import Compiler
from opwright.lang.families.template_tree import read_function, write_function
from opwright.lang.lower.state.liveness import Liveness
from opwright.lang.text.source import span_of

BODY = """\
a = b = c = d = e = f = g = h = x
def inner():
    return f
if x > 0:
    a = x
for i in range(3):
    use(b)
    while x > 0:
        c = d
        if x > 1:
            e = g
    g += 1
    del h
use(a[0], (lambda: e))
"""


def _statement(kind: type[ast.stmt], index: int = 0) -> ast.stmt:
    found = [node for node in ast.walk(ast.parse(BODY)) if isinstance(node, kind)]
    return sorted(found, key=lambda node: node.lineno)[index]


@pytest.mark.parametrize("index", [0, 1])
def test_what_is_read_after_a_statement(index: int) -> None:
    liveness = Liveness(ast.parse(BODY).body)
    span = span_of(_statement(ast.If, index))
    # `c` is bound and never read; the next trip reads `b` again.
    assert {name for name in "abcdefghxi" if liveness.is_read_after(name, span)} == set("abdefghx")


def test_what_a_loop_hands_on() -> None:
    liveness = Liveness(ast.parse(BODY).body)
    span = span_of(_statement(ast.For))
    assert {name for name in "abcdefghxi" if liveness.is_read_by_loop(name, span)} == set("abdefghx")
    inner = span_of(_statement(ast.While))
    assert {name for name in "abcdefghxi" if liveness.is_read_by_loop(name, inner)} == set("abdefghx")


def test_a_template_knows_no_less() -> None:
    node = ast.parse("def F(x):\n" + "".join(f"    {line}\n" for line in BODY.splitlines())).body[0]
    assert isinstance(node, ast.FunctionDef)
    read = read_function(write_function(node, lambda annotation: annotation))
    kinds = (ast.If, ast.For, ast.While)
    pairs = zip(*([item for item in ast.walk(tree) if isinstance(item, kinds)] for tree in (node, read)), strict=True)
    written, stored = Liveness(node.body), Liveness(read.body)
    for one, other in pairs:
        for name in "abcdefghxi":
            for question in ("is_read_after", "is_read_by_loop"):
                known = getattr(written, question)(name, span_of(one))
                assert getattr(stored, question)(name, span_of(other)) >= known, (name, question, ast.unparse(one))


def test_what_a_text_holds_is_read_behind_it() -> None:
    body = ast.parse('if c:\n    k = 1\ny = (f"{1}"\n  f"""\n{k}\n""")\n').body
    assert Liveness(body).is_read_after("k", span_of(body[0]))


def test_nothing_behind_the_last_statement() -> None:
    body = ast.parse("y = x\nif y > 0:\n    z = 1\nelse:\n    z = 2.5\nreturned = y\n").body
    assert not Liveness(body).is_read_after("z", span_of(body[1]))
    assert Liveness(body).is_read_after("y", span_of(body[1]))


ORDERS = {
    "a path binds one input, the other another": (
        "def F(x, y, n):\n{}\n    return op.Neg(y), op.Add(INT64(4), n)\n",
        [
            "    t = n\n    if op.ReduceSum(x, keepdims=0) > 1:\n        t = y\n",
            "    c = op.Exp(x)\n    d = op.Exp(y)\n",
        ],
    ),
    "a loop that is left early": (
        "def F(x, y, n):\n{}\n    return c, op.Add(INT64(4), n)\n",
        [
            "    for row in x:\n        t = n\n        if op.ReduceSum(row, keepdims=0) > 1:\n            t = y\n"
            "            break\n",
            "    c = op.Exp(y)\n",
        ],
    ),
    "strings, which `+` of this opset does not take": (
        "def F(x, y, n):\n{}\n    return op.Size(x), x + x, op.Not(u)\n",
        ["    q = [x]\n    for i in range(2):\n        q.append(x * i)\n", "    u = op.Cast(x - x, to=9)\n"],
    ),
    "a name that `:=` binds, read where its value is refused": (
        "def F(x, y, n):\n{}\n    return s, m\n",
        ["    s = (lambda v: 1 + v)(x)\n", "    m = op.Max((u := op.ReduceMin(x, keepdims=0)), u)\n"],
    ),
    "a number on one path, a tensor on the other": (
        "def F(x, y, n):\n    w = x\n    if n:\n        w = 3\n{}\n    return r, u\n",
        ["    r = w * (w % 3)\n", "    u = op.Neg(w)\n"],
    ),
    "an item of a list that does not exist for ints": (
        "def F(x, y, n, a: float = 0.1):\n{}\n    return q[0]\n",
        ["    for row in x[::-1]:\n        c = row ** 2\n", "    q = [op.Add(a, x)] * 2\n    q[1] += x - -0.5\n"],
    ),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("opset", [13, 14, 18])
def test_the_order_of_statements_decides_nothing(
    name: str, opset: int, define: Callable[[str, int], opwright.OnnxFunction]
) -> None:
    text, pieces = ORDERS[name]
    found = []
    for order in (pieces, pieces[::-1]):
        function = define(text.format("".join(order).rstrip("\n")), opset)
        protos = function.to_function_protos()
        found.append(sorted(f"{proto.name}/{proto.overload}" for proto in protos))
    assert found[0] == found[1]


@pytest.fixture
def define(tmp_path: Path) -> Callable[[str, int], opwright.OnnxFunction]:
    def make(text: str, opset: int) -> opwright.OnnxFunction:
        path = tmp_path / f"made_{len(list(tmp_path.iterdir()))}.py"
        imports = f"from opwright import FLOAT, INT64, opset{opset} as op, script"
        path.write_text(f"{imports}\n\n@script(default_opset=op)\n{text}", encoding="utf-8")
        found = runpy.run_path(str(path))["F"]
        assert isinstance(found, opwright.OnnxFunction)
        return found

    return make


def test_a_name_that_is_read_has_one_type(compiler: Compiler) -> None:
    text = "def F(x, y, c):\n    t = x\n    if c:\n        t = y\n    u = {}\n    return op.Neg(x)\n"
    types = {"x": "float", "y": "double", "c": "bool"}
    assert compiler.family(text.format("1"), types, {"r": "float"}).variants
    refused = compiler.family(text.format("op.Neg(t)"), types, {"r": "float"})
    assert [item.code for item in refused.diagnostics] == ["OW308"]


@pytest.mark.parametrize("statement", ["q[0] = x", "q[0] += x", "q.a = x", "q[0][1] = x", "q[0], r = x, x"])
def test_an_item_of_what_is_wrong_is_not_told_again(statement: str, compiler: Compiler) -> None:
    text = f"def F(x):\n    q = [nothing(x)]\n    {statement}\n    return q[0]\n"
    found = compiler.family(text, {"x": "float"}, {"r": "float"}).diagnostics
    assert [item.code for item in found] == ["OW302"]


LOOPED = """\
a = b = c = d = e = f = x
for i in range(n):
    if i > 3:
        if i > 4:
            continue
        b = 1
    else:
        b = 2
    c = a + b
    while c < n:
        if c > 2:
            d = c
            break
        e = d
    else:
        f = 1
    use(e)
    e = 3
use(c)
"""


def test_what_a_trip_binds_before_it_reads_it() -> None:
    body = ast.parse(LOOPED).body
    liveness = Liveness(body)
    outer = body[1]
    assert isinstance(outer, ast.For)
    inner = outer.body[2]
    assert {name for name in "abcdefin" if liveness.is_read_by_loop(name, span_of(outer))} == set("acden")
    assert {name for name in "abcdefin" if liveness.is_read_by_loop(name, span_of(inner))} == set("acden")
    branch = outer.body[0]
    assert isinstance(branch, ast.If)
    for statement, read in ((branch, "b"), (branch.body[0], ""), (branch.body[1], "b"), (inner, ""), (outer, "c")):
        found = {name for name in "abcdefin" if liveness.is_read_going_on_alone(name, span_of(statement), True, True)}
        assert found == set(read), ast.unparse(statement)
        beside = {name for name in "abcdefin" if liveness.is_read_going_on_alone(name, span_of(statement), True, False)}
        assert found <= beside, "a path that only breaks reads what stands behind the loop"
