"""An `If` whose branches give other shapes, at opsets that have no such `If`: with the same values, or refused."""

from __future__ import annotations

import onnx
import onnx.parser
import pytest
from opwright import convert
from opwright.diagnostics import DiagnosticError

HEAD = '<ir_version: 8, opset_import: ["": {opset}]> g (float[N] x, bool c, {other} z) => (int64[R] y)'
BODY = """{{ r = If (c) <then_branch = p () => ({then}) {{ {first} }}, else_branch = q () => ({orelse}) {{ {second} }}>
    y = Shape(r) }}"""
SCALAR, SINGLE, SAME = "a = ReduceMax<keepdims = 0>(x)", "a = ReduceMax<axes = [0]>(x)", "a = Relu(x)"
LIKE, UNKNOWN = "b = Neg(x)", "b = Neg(z)"


def model(opset: int, first: str, second: str, then: str = "float a", orelse: str = "float b") -> onnx.ModelProto:
    """Nothing is declared of what the branches give; `z` is of unknown rank."""
    head = HEAD.format(opset=opset, other="float")
    made = onnx.parser.parse_model(head + BODY.format(then=then, orelse=orelse, first=first, second=second))
    made.graph.input[2].type.tensor_type.ClearField("shape")
    for attribute in made.graph.node[0].attribute:
        for value in attribute.g.output:
            value.type.tensor_type.ClearField("shape")
    return made


@pytest.mark.parametrize("opset", [11, 13])
def test_one_shape_is_taken(opset: int) -> None:
    for older in {7, 10, opset - 1}:
        assert convert(model(opset, SAME, LIKE), opset=older).opset_import[0].version == older


@pytest.mark.parametrize(("first", "second"), [(SCALAR, LIKE), (SINGLE, LIKE), (SAME, UNKNOWN), (SCALAR, UNKNOWN)])
@pytest.mark.parametrize("opset", [11, 13])
def test_other_shapes_below_opset_11(opset: int, first: str, second: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        convert(model(opset, first, second), opset=10)
    (found,) = caught.value.diagnostics
    assert found.code == "OW582"
    assert "its branches" in found.reason


def test_a_scalar_beside_an_unknown_rank_below_opset_13() -> None:
    with pytest.raises(DiagnosticError, match="its branches may give a scalar and another shape"):
        convert(model(13, SCALAR, UNKNOWN), opset=12)
    for first, second in ((SCALAR, LIKE), (SAME, UNKNOWN), (SINGLE, UNKNOWN)):
        assert convert(model(13, first, second), opset=11).opset_import[0].version == 11
