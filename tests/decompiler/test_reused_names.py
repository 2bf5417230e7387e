"""Graphs may use names for values of their own that others have which they do not see."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, checker, helper, numpy_helper, parser
from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidGraph
from opwright import decompile
from opwright.decompiler.recompile_check import check_model
from opwright.graphs.distinct_names import with_distinct_names
from opwright.graphs.node_columns import ColumnsOf

from tests.decompiler.clashing_names import calling_clashing_function, clashing_model
from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, run_ort

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
    "the loop's result": """m (float[2] x, int64 n) => (float[2] y) {
    y = Loop (n, , x) <body = step (int64 i, bool g, float[2] a) => (bool h, float[2] r) {
        h = Identity (g)
        y = Neg (a)
        e = Exp (a)
        r = Sub (e, y)
    }>
}""",
    "the results of a loop, crosswise": """m (float[2] x, int64 n) => (float[2] y, float[2] z) {
    y, z = Loop (n, , x, x) <body = step (int64 i, bool g, float[2] a, float[2] b) => (bool h, float[2] z, float[2] y) {
        h = Identity (g)
        y = Neg (a)
        z = Add (a, b)
    }>
}""",
    "the result of a loop around the loop": """m (float[2] x, int64 n) => (float[2] y) {
    y = Loop (n, , x) <body = step (int64 i, bool g, float[2] a) => (bool h, float[2] r) {
        h = Identity (g)
        w = Loop (n, , a) <body = inner (int64 j, bool f, float[2] b) => (bool k, float[2] q) {
            k = Identity (f)
            y = Neg (b)
            q = Mul (y, a)
        }>
        r = Add (w, a)
    }>
}""",
    "the result of the loop that counts by it": """m (float[2] x, int64 n) => (float[2] y) {
    y = Loop (n, , x) <body = step (int64 y, bool g, float[2] a) => (bool h, float[2] r) {
        h = Identity (g)
        f = Cast <to = 1> (y)
        r = Add (a, f)
    }>
}""",
    "the result of an If": """m (float[2] x, bool b) => (float[2] y) {
    y = If (b) <
        then_branch = left () => (float[2] a) { a = Exp (x) },
        else_branch = right () => (float[2] a) { q = Abs (x) a = Exp (q) y = Neg (a) u = Mul (y, q) }
    >
}""",
}


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("text", _MODELS.values(), ids=_MODELS)
def test_names_that_graphs_share_mean_the_value_of_each(text: str, faithful: bool) -> None:
    model = parser.parse_model(_HEAD + text)
    checker.check_model(model, full_check=True)
    assert list(check_model(decompile(model, faithful=faithful), model)) == []


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("drawn", [clashing_model, calling_clashing_function])
def test_graphs_inside_one_another_that_share_a_few_names(
    drawn: Callable[[int], ModelProto], faithful: bool, tmp_path: Path
) -> None:
    judged = 0
    for model in map(drawn, range(20)):
        checker.check_model(model)
        given = [
            [np.array([0.3, -0.7], np.float32), np.array(n), np.array(t)] for n, t in ((0, True), (3, False), (2, True))
        ]
        try:
            wanted = [run_ort(model, inputs) for inputs in given]
        except (Fail, InvalidGraph):  # it takes some of the names for those of another value
            continue
        decompile(model, faithful=faithful).write(tmp_path / "decompiled.py")
        again = make(tmp_path / "decompiled.py")
        assert isinstance(again, ModelProto)
        assert all(equal(one, run_ort(again, inputs)) for one, inputs in zip(wanted, given, strict=True))
        judged += 1
    assert judged > 10


def test_weights_of_branches_that_share_a_name(tmp_path: Path) -> None:
    """Too large for constants, so that the model carries them."""
    size = (1 << 18) + 1
    x, y = (helper.make_tensor_value_info(name, 1, [size]) for name in "xy")
    branches = {}
    for attribute, number in (("then_branch", 2), ("else_branch", 3)):
        weights = numpy_helper.from_array(np.full(size, number, np.float32), "w")
        nodes = [helper.make_node("Mul", ["x", "w"], ["p"])]
        given = [helper.make_tensor_value_info("p", 1, [size])]
        branches[attribute] = helper.make_graph(nodes, attribute, [], given, [weights])
    node = helper.make_node("If", ["b"], ["y"], **branches)
    graph = helper.make_graph([node], "m", [x, helper.make_tensor_value_info("b", 9, [])], [y])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 18)])
    decompile(model).write(tmp_path / "decompiled.py")
    again = make(tmp_path / "decompiled.py")
    assert isinstance(again, ModelProto)
    for b in (True, False):
        inputs = [np.ones(size, np.float32), np.array(b)]
        assert equal(run_ort(model, inputs), run_ort(again, inputs))


def test_a_model_whose_names_are_distinct_is_not_copied() -> None:
    shared = parser.parse_model(_HEAD + _MODELS["the result of an If"])
    columns = ColumnsOf()
    made = with_distinct_names(shared, columns)
    assert made is not shared
    assert with_distinct_names(made, columns) is made
