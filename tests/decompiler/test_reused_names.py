"""Graphs that are not inside one another may use the same names for different values."""

from __future__ import annotations

import pytest
from onnx import checker, parser
from opwright import decompile
from opwright.decompiler.recompile_check import check_model

_HEAD = '<ir_version: 8, opset_import: ["": 18]>\n'
_MODELS = {
    "a constant of the other branch": """m (float[N] x, bool b) => (float[N] y) {
    y = If (b) <
        then_branch = left () => (float[N] p) { c = Constant <value_float = 2.0> () p = Mul (x, c) },
        else_branch = right () => (float[N] q) { c = Neg (x) q = Mul (x, c) }
    >
}""",
    "a constant of an earlier branch": """m (float[N] x, bool b) => (float[N] y) {
    z = If (b) <
        then_branch = left () => (float[N] p) { c = Constant <value_float = 2.0> () p = Mul (x, c) },
        else_branch = right () => (float[N] q) { q = Exp (x) }
    >
    c = Neg (z)
    y = Mul (c, x)
}""",
    "what a branch gave": """m (float[N] x, bool b) => (float[N] y, float[M, N] w) {
    a = If (b) <
        then_branch = left () => (float[N] p) { p = Neg (x) },
        else_branch = right () => (float[N] p) { p = Exp (x) }
    >
    n = Constant <value_int = 3> ()
    t = Constant <value_int = 1> ()
    u = Cast <to = 9> (t)
    y, w = Loop (n, u, a) <body = more (int64 i, bool g, float[N] s) => (bool h, float[N] r, float[N] out) {
        h = Identity (g)
        p = Abs (s)
        r = Mul (p, a)
        out = Identity (r)
    }>
}""",
    "what a loop carried": """m (float[N] x) => (float[N] y, float[M, N] w) {
    n = Constant <value_int = 3> ()
    a = Loop (n, , x) <body = first (int64 i, bool g, float[N] s) => (bool g, float[N] r) {
        r = Neg (s)
    }>
    y, w = Loop (n, , x) <body = second (int64 i, bool g, float[N] s) => (bool h, float[N] r, float[N] out) {
        h = Identity (g)
        k = Cast <to = 1> (g)
        j = Cast <to = 1> (i)
        r0 = Mul (s, a)
        r1 = Add (r0, j)
        r = Mul (r1, k)
        out = Identity (r)
    }>
}""",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("text", _MODELS.values(), ids=_MODELS)
def test_names_that_graphs_share_mean_the_value_of_each(text: str, faithful: bool) -> None:
    model = parser.parse_model(_HEAD + text)
    checker.check_model(model, full_check=True)
    assert list(check_model(decompile(model, faithful=faithful), model)) == []
