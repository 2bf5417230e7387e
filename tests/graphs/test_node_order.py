"""Nodes behind those that they read."""

from __future__ import annotations

import opwright
import pytest
from onnx import checker, helper, parser
from opwright.graphs.node_order import in_order

INPUT = "(int64 i, bool k, float[2] v) => (bool k2, float[2] w) { k2 = Identity (k) w = Neg (v) }"
INITIALIZER = (
    "(int64 i, bool k, float[2] s) => (bool k2, float[2] w) <float[2] v = {1, 2}> { k2 = Identity (k) w = Add (s, v) }"
)
NODE = "(int64 i, bool k, float[2] s) => (bool k2, float[2] w) { k2 = Identity (k) v = Neg (s) w = Neg (v) }"
NESTED = """(int64 i, bool k, float[2] v) => (bool k2, float[2] w) {
    k2 = Identity (k) w = If (k) <then_branch: graph = yes () => (float[2] p) { p = Neg (v) },
                                  else_branch: graph = no () => (float[2] q) { q = Identity (v) }> }"""


@pytest.mark.parametrize("body", [INPUT, INITIALIZER, NODE, NESTED])
def test_a_name_within_a_graph_is_not_that_of_a_later_value(body: str) -> None:
    model = parser.parse_model(
        f"""<ir_version: 10, opset_import: ["": 21]>
        g (float[2] x, int64 n, bool c) => (float[2] v) {{
            a = Loop (n, c, x) <body: graph = l {body}>
            v = Identity (a)
        }}"""
    )
    checker.check_model(model, full_check=True)
    assert [index for index, _ in in_order(model.graph.node)] == [0, 1]
    assert opwright.convert(model, opset=19).opset_import[0].version == 19


def test_what_a_graph_reads_of_what_is_around_it_stands_before() -> None:
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["": 21]>
        g (float[2] x, int64 n, bool c) => (float[2] y) {
            y = Loop (n, c, x) <body: graph = l (int64 i, bool k, float[2] s) => (bool k, float[2] w) {
                w = Add (s, v)
            }>
            z = Loop (n, c, x) <body: graph = l (int64 i, bool k, float[2] s) => (bool k, float[2] y) { }>
            v = Neg (x)
        }"""
    )
    assert [index for index, _ in in_order(model.graph.node)] == [2, 0, 1]


def test_one_node_waits_for_many_that_stand_behind_it() -> None:
    names = [f"v{index}" for index in range(300)]
    nodes = [helper.make_node("Sum", names, ["y"]), *(helper.make_node("Neg", ["x"], [name]) for name in names)]
    assert [index for index, _ in in_order(nodes)] == [*range(1, 301), 0]
