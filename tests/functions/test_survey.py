"""What one walk over a model finds."""

from __future__ import annotations

import onnx.parser
from onnx import TensorProto
from opwright.model.survey import Survey

TEXT = """<ir_version: 10, opset_import: ["": 18, "local": 1]>
agraph (float[N] x, bool c) => (float[N] y)
{
    t = local.twice (x)
    y = If (c) <
        then_branch = then () => (a) { a = local.once <to: int = 1> (t) },
        else_branch = other () => (b) { k = Constant <value = double[1] {1.0}> () b = Cast <to = 10> (k) }
    >
}
<domain: "local", opset_import: ["": 17]>
once (x) => (y) { y = Neg (x) }
<domain: "local", opset_import: ["": 17, "local": 1]>
twice (x) => (y) { t = local.once (x) y = local.once (t) }
"""


def test_nodes_of_graphs_within_count_for_the_body() -> None:
    survey = Survey(onnx.parser.parse_model(TEXT))
    (imports, graph), (_, once), (inner, twice) = survey.bodies
    assert imports == {"": 18, "local": 1} and inner == {"": 17, "local": 1}
    local = {("local", "twice", ""): 1, ("local", "once", ""): 1}
    assert graph == {**local, ("", "If", ""): 1, ("", "Constant", ""): 1, ("", "Cast", ""): 1}
    assert once == {("", "Neg", ""): 1} and twice == {("local", "once", ""): 2}


def test_elements_are_those_of_tensors_and_casts() -> None:
    survey = Survey(onnx.parser.parse_model(TEXT))
    assert survey.elements == {TensorProto.DOUBLE, TensorProto.FLOAT16}


def test_calls_count_as_what_they_run() -> None:
    survey = Survey(onnx.parser.parse_model(TEXT))
    once = 1
    twice = 2 * (1 + once)
    assert survey.visited_nodes() == (1 + twice) + (1 + once) + 3


def test_a_scan_anywhere_and_metadata_anywhere_are_seen() -> None:
    model = onnx.parser.parse_model(TEXT)
    found = Survey(model)
    assert not found.has_scan and not found.has_metadata
    model.functions[0].node[0].op_type = "Scan"
    model.functions[1].node[1].metadata_props.add(key="place", value="here")
    found = Survey(model)
    assert found.has_scan and found.has_metadata
