"""What onnx infers of a model says nothing wrong of values that share a name."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from onnx import ValueInfoProto, checker, parser, shape_inference
from opwright.graphs.model_inference import infer_model, infer_strictly
from opwright.graphs.walk import all_graphs

# Graphs inside give names of the graph around: of a value that comes later, of one that they hide, of another kind.
_BRANCHES = """<ir_version: 8, opset_import: ["": 17]>
main (bool c, float[2, 3] x) => (float[2, 3] later, float t)
{
    t = If (c) <
        then_branch = yes () => (float u) { later = Constant <value = float {1}> () u = Neg (later) },
        else_branch = no () => (float v) { v = Constant <value = float {2}> () }
    >
    later = Erf (x)
}"""
_HIDDEN = """<ir_version: 8, opset_import: ["": 17]>
main (bool c, float[2, 3] x) => (float[3] t, int32[2] k)
<int32[2] w = {5, 5}>
{
    t = If (c) <
        then_branch = yes () => (float[3] u) <int64[3] w = {3, 2, 2}> { u = Cast <to = 1> (w) },
        else_branch = no () => (float[3] v) { v = Constant <value_floats = [0.0, 0.0, 0.0]> () }
    >
    k = Identity (w)
}"""
_KINDS = """<ir_version: 8, opset_import: ["": 17]>
main (bool c, int64 n, float[2, 3] x) => (float[k, 3] later)
{
    later = Loop (n, c) <body = step (int64 i, bool go) => (bool on, float[3] row) {
        later = SequenceConstruct (x)
        on = Identity (go)
        row = Gather (x, i)
    }>
}"""


@pytest.mark.parametrize("text", [_BRANCHES, _HIDDEN, _KINDS], ids=["later", "hidden", "kinds"])
def test_a_value_inside_is_not_taken_for_one_around_it(text: str) -> None:
    model = parser.parse_model(text)
    checker.check_model(model)
    with pytest.raises(shape_inference.InferenceError):
        shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
    infer_strictly(model)


def test_types_are_those_of_each_value_by_its_own_name() -> None:
    model = parser.parse_model(_BRANCHES)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    given = model.SerializeToString()
    inferred = infer_model(model)
    assert inferred is not None
    outer, inner, _ = all_graphs(inferred)
    assert ranks(outer.output) == {"later": 2, "t": 0}
    assert ranks(inner.value_info) == {"later": 0}
    assert [node.output[0] for node in inner.node] == ["later", "u"]
    assert model.SerializeToString() == given


def ranks(values: Iterable[ValueInfoProto]) -> dict[str, int]:
    return {value.name: len(value.type.tensor_type.shape.dim) for value in values}
