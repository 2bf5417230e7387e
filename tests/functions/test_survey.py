"""What one walk over a model finds."""

from __future__ import annotations

import onnx.helper
import onnx.parser
import pytest
from onnx import TensorProto
from opwright.model import verdict
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


def test_calls_are_those_of_the_models_functions() -> None:
    assert Survey(onnx.parser.parse_model(TEXT)).calls() == 4


CALLS = """<ir_version: 10, opset_import: ["": 18, "local": 1]>
agraph (float[N, 3] x) => (float[N, 6] y) { t = local.twice (x) y = local.rows <by: int = 1> (t) }
<domain: "local", opset_import: ["": 18]>
once (x) => (y) { y = Neg (x) }
<domain: "local", opset_import: ["": 18, "local": 1]>
twice (x) => (y) { t = local.once (x) y = local.once (t) }
<domain: "local", opset_import: ["": 18]>
rows <by> (x) => (y) { y = Concat <axis: int = @by> (x, x) }
"""


def models_asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The operators of the models that inference is asked about from now on."""
    asked: list[str] = []
    infer = verdict._infer

    def noting(strict: bool, model: onnx.ModelProto) -> onnx.GraphProto:
        asked.extend(node.op_type for node in model.graph.node)
        return infer(strict, model)

    monkeypatch.setattr(verdict, "_infer", noting)
    return asked


def test_inference_finds_the_same_without_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a model of many functions it is asked about the inlined one."""
    model = onnx.parser.parse_model(CALLS)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    called = verdict.infer(model, Survey(model))
    wrong = onnx.parser.parse_model(CALLS.replace("Neg (x)", "Not (x)"))
    refused = verdict.infer(wrong, Survey(wrong))
    monkeypatch.setattr(verdict, "MOST_LOOKS", 0)
    monkeypatch.setattr(verdict, "MOST_INLINED", 100)
    asked = models_asked(monkeypatch)
    inlined = verdict.infer(model, Survey(model))
    assert called[1] is inlined[1] is None and {*asked} == {"Neg", "Concat"}
    assert called[0] == inlined[0]
    assert [size.dim_value for size in called[0]["y"].tensor_type.shape.dim] == [0, 6]
    assert refused[1] is not None and verdict.infer(wrong, Survey(wrong)) == refused


@pytest.mark.parametrize("field", ["attribute_proto", "overload"])
def test_defaults_and_overloads_are_not_inlined_to_ask(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = onnx.parser.parse_model(CALLS)
    rows = model.functions[2]
    if field == "overload":
        rows.overload = model.graph.node[1].overload = "wide"
    else:
        del rows.attribute[:], model.graph.node[1].attribute[:]
        rows.attribute_proto.append(onnx.helper.make_attribute("by", 1))
    monkeypatch.setattr(verdict, "MOST_LOOKS", 0)
    asked = models_asked(monkeypatch)
    _, problem = verdict.infer(model, Survey(model))
    assert problem is None and asked == ["twice", "rows"]
