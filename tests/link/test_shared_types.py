"""Types behind operators that nothing describes: those of other values of the same type variable."""

from __future__ import annotations

import onnx
import opwright
import pytest
from onnx import TensorProto, helper, parser
from opwright.link.shared_types import shared_types

HEADER = '<ir_version: 9, opset_import: ["": 19, "com.microsoft": 1]>'
FUSED = """agraph (float[N, 4] x) => (float[M] y) <float[4] w = {1, 2, 3, 4}, int64[1] to = {-1}> {
    a = com.microsoft.Odd (x)
    b = Reshape (a, to)
    c = Identity (b)
    d = Concat <axis = 0> (c, w)
    y = Relu (d)
}"""
QUANTISED = """agraph (uint8[N] x, float s, uint8 z) => (float[N] y) {
    a = com.microsoft.Odd (x, s, z)
    y = DequantizeLinear (a, s, z)
}"""


@pytest.mark.parametrize("text", [FUSED, QUANTISED])
def test_nodes_behind_an_unknown_operator_take_their_older_version(text: str) -> None:
    model = parser.parse_model(f"{HEADER} {text}")
    old = opwright.polyfill(model, opset=18, libraries=[])
    assert {item.domain: item.version for item in old.opset_import} == {"": 18, "com.microsoft": 1}
    assert opwright.detach(old) == model


@pytest.mark.parametrize("element", [TensorProto.FLOAT8E4M3FN, TensorProto.UNDEFINED])
def test_what_does_not_follow_or_is_too_new_is_refused(element: int) -> None:
    """Reshape takes float8 since 19 alone."""
    text = (
        "agraph (float[N] x) => (float[M] y) <int64[1] to = {-1}> { a = my.Odd (x) b = Reshape (a, to) y = my.Odd (b) }"
    )
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["": 19, "my": 1]> {text}')
    if element:
        model.graph.value_info.append(helper.make_tensor_value_info("b", element, None))
    with pytest.raises(opwright.DiagnosticError, match="OW582"):
        opwright.polyfill(model, opset=18, libraries=[])


def test_types_are_handed_on_in_both_directions() -> None:
    model = parser.parse_model(f"{HEADER} {FUSED}")
    found = shared_types(model.graph.node, {"": 19, "com.microsoft": 1}, {"w": "tensor(float)"}.get)
    assert {name: found.get(name) for name in "abcdyx"} == dict.fromkeys("abcdy", "tensor(float)") | {"x": None}
    assert found["to"] == "tensor(int64)"


def test_inputs_of_several_types_share_none() -> None:
    """The items that a Loop carries have one type variable, and may have a type each."""
    nodes = onnx.parser.parse_graph(
        """g (int64 n, bool c) => (float y) {
        y, z = Loop (n, c, a, b) <body = body (int64 i, bool d, float p, int64 q) => (bool d, float p, int64 q) { }>
        }"""
    ).node
    assert "b" not in shared_types(nodes, {"": 19}, {"a": "tensor(float)"}.get)
