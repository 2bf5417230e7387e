"""`CastLike` whose type is known is `Cast`, and computes the same."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import ModelProto, parser
from opwright.graphs.walk import all_nodes
from opwright_build.verify.run.known_casts import write_known_casts

HEADER = '<ir_version: 8, opset_import: ["" : %d]>\n'
BRANCHES = """agraph (float[n] x0, int32[m] x1, bool c) => (int32[a] y0, int64[b] y1) {
    k = Cast<to = 7>(x0)
    y1 = CastLike(x1, k)
    y0 = If(c) <
        then_branch = then () => (t) { t = CastLike(x0, x1) },
        else_branch = other () => (e) { s = Shape(x0) u = CastLike(s, x0) e = CastLike(u, x1) }>
}"""
LOOP = """agraph (int32[n] x0, float[n] x1, int64 count, bool keep) => (y0) {
    y0 = Loop(count, keep, x0) <body = g (int64 i, bool on, float[n] x1_inner) => (kept, out) {
        kept = Identity(on) out = Identity(x1_inner)
    }>
}"""


def casts(model: ModelProto) -> list[tuple[str, list[str], int]]:
    nodes = (node for node in all_nodes(model.graph.node) if node.op_type in ("Cast", "CastLike"))
    return [(node.op_type, list(node.input), sum(a.i for a in node.attribute if a.name == "to")) for node in nodes]


def results(model: ModelProto, feeds: dict[str, Any]) -> list[Any]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return list(session.run(None, feeds))


@pytest.mark.parametrize("opset", [15, 18, 19, 21])
def test_the_type_of_an_input_is_known_in_graphs_within_as_well(opset: int) -> None:
    model = parser.parse_model(HEADER % opset + BRANCHES)
    changed = ModelProto.FromString(model.SerializeToString())
    write_known_casts(changed)
    onnx.checker.check_model(changed)
    assert casts(changed) == [
        ("Cast", ["x0"], 7),
        ("CastLike", ["x1", "k"], 0),
        ("Cast", ["x0"], 6),
        ("Cast", ["s"], 1),
        ("Cast", ["u"], 6),
    ]
    for chosen in (True, False):
        feeds = {"x0": np.array([1.9, -2.9], np.float32), "x1": np.array([3], np.int32), "c": np.array(chosen)}
        for one, other in zip(results(model, feeds), results(changed, feeds), strict=True):
            assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())


def test_attributes_stay() -> None:
    body = "agraph (float[n] x0, float8e4m3fn[m] x1) => (y0) { y0 = CastLike<saturate = 0>(x0, x1) }"
    model = parser.parse_model(HEADER % 19 + body)
    write_known_casts(model)
    [node] = model.graph.node
    assert {item.name: item.i for item in node.attribute} == {"saturate": 0, "to": 17}


def test_a_name_that_a_graph_within_takes_is_its_own() -> None:
    model = parser.parse_model(HEADER % 18 + LOOP)
    body = model.graph.node[0].attribute[0].g
    body.input[2].name = "x1"  # ONNX forbids it, and a body of a stranger may have it
    body.node[1].CopyFrom(onnx.helper.make_node("CastLike", ["x1", "x1"], ["out"]))
    before = model.SerializeToString()
    write_known_casts(model)
    assert model.SerializeToString() == before


def test_what_is_no_tensor_and_what_is_of_another_domain_stays() -> None:
    text = HEADER % 18 + "agraph (float[n] x0, seq(int32[m]) x1) => (y0, y1) { y0 = CastLike(x0, x1) y1 = Abs(x0) }"
    model = parser.parse_model(text)
    model.graph.node.append(onnx.helper.make_node("CastLike", ["x0", "x0"], ["z"], domain="other"))
    before = model.SerializeToString()
    write_known_casts(model)
    assert model.SerializeToString() == before
