"""Models that another tool edits after they were converted, polyfilled or attached to, and that are taken back then."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import onnx_ir
import onnxruntime
import pytest
from onnx import ModelProto, compose, helper, numpy_helper, parser
from opwright import DiagnosticError, attach, convert, detach, polyfill
from opwright.bundle.format import Bundle

Edit = Callable[[ModelProto], None]


def model_of(text: str, opset: int, ir_version: int = 10) -> ModelProto:
    return parser.parse_model(f'<ir_version: {ir_version}, opset_import: ["":{opset}]> g {text}')


def refused(model: ModelProto, reason: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        detach(model)
    assert [item.code for item in caught.value.diagnostics] == ["OW576"]
    assert reason in str(caught.value)


ROI = """(float[1,1,6,6] X, float[1,4] r, int64[1] b) => (float[1,1,2,2] Y)
    { Y = RoiAlign<output_height=2, output_width=2, sampling_ratio=2>(X, r, b) }"""


def add_function(model: ModelProto) -> None:
    nodes = [helper.make_node("Softmax", ["a"], ["b"], axis=1)]
    model.functions.append(helper.make_function("w", "F", ["a"], ["b"], nodes, [helper.make_opsetid("", 13)]))
    model.opset_import.append(helper.make_opsetid("w", 1))
    model.graph.node.append(helper.make_node("F", ["X"], ["Z"], domain="w"))
    model.graph.output.append(helper.make_tensor_value_info("Z", 1, [2, 3, 4]))


@pytest.mark.parametrize("ir_version", [8, 10])
def test_a_function_that_was_added_does_not_stay_at_an_opset_that_the_model_leaves(ir_version: int) -> None:
    model = convert(
        model_of("(float[2,3,4] X) => (float[2,3,4] Y) { Y = Softmax<axis=2>(X) }", 11, ir_version), opset=13
    )
    add_function(model)
    refused(model, "the function w::F, which was made since, holds a node ai.onnx::Softmax")


@pytest.mark.parametrize("ir_version", [8, 10])
def test_a_function_whose_name_was_changed_is_not_left_behind(ir_version: int) -> None:
    text = f"""<ir_version: {ir_version}, opset_import: ["":15, "w":1]>
        g (float[1,1,6,6] X, float[1,4] r, int64[1] b) => (float[1,1,2,2] Y) {{ Y = w.F(X, r, b) }}
        <domain: "w", opset_import: ["":15]> F (X, r, b) => (Y)
        {{ Y = RoiAlign<output_height=2, output_width=2, sampling_ratio=2>(X, r, b) }}"""
    original = parser.parse_model(text)
    model = compose.add_prefix(convert(original, opset=16), "p_")
    if ir_version == 8:  # the notes stand on the model, by the name that the function had
        refused(model, "which was made since, holds a node ai.onnx::RoiAlign")
    else:
        assert detach(model).functions[0].opset_import[0].version == 15


def test_a_node_of_the_same_kind_does_not_take_the_place_of_one_that_was_rewritten() -> None:
    model = convert(model_of(ROI, 15), opset=16)
    (node,) = model.graph.node
    node.CopyFrom(
        helper.make_node("RoiAlign", [*node.input], [*node.output], output_height=2, output_width=2, sampling_ratio=2)
    )
    refused(model, "a node ai.onnx::RoiAlign was added or altered")


def test_an_output_that_was_added_does_not_get_its_older_meaning() -> None:
    """The mask of Dropout is of zeros below opset 12, and of ones from then on, where nothing is dropped."""
    model = convert(model_of("(float[2,3] X) => (float[2,3] Y) { Y = Dropout(X) }", 11), opset=13)
    model.graph.node[0].output.append("mask")
    model.graph.output.append(helper.make_tensor_value_info("mask", 9, [2, 3]))
    refused(model, "a node ai.onnx::Dropout was added or altered")


def other_constant(model: ModelProto) -> None:
    del model.graph.initializer[:]
    model.graph.initializer.append(numpy_helper.from_array(np.array([2], np.int64), "ax"))


def other_node(model: ModelProto) -> None:
    del model.graph.initializer[:]
    model.graph.node.insert(0, helper.make_node("Shape", ["X"], ["ax"]))


@pytest.mark.parametrize("edit", [other_constant, other_node])
def test_an_input_comes_back_by_its_name_only_where_it_is_what_it_was(edit: Edit) -> None:
    original = model_of("(float[2,3,4] X) => (float[a,b,c] Y) <int64[1] ax = {1}> { Y = ReduceSum(X, ax) }", 13)
    model = convert(original, opset=11)
    assert detach(model) == original
    edit(model)
    refused(model, "the input ax of a node ai.onnx::ReduceSum is no more what it was")


def test_an_output_that_comes_back_has_no_name_of_another_value() -> None:
    model = convert(model_of("(float[2,3] X) => (float[2,3] Y) { Y, mask = Dropout(X) }", 9), opset=13)
    model.graph.node.append(helper.make_node("Neg", ["Y"], ["mask"]))
    refused(model, "the value mask comes back, and another one has its name now")


def test_a_value_of_what_stands_in_the_place_of_a_node_is_not_lost() -> None:
    model = convert(model_of("(float[2,3] X) => (float[2,3] Y) { Y = Clip<min=-0.5, max=0.5>(X) }", 10), opset=13)
    model.graph.output.append(helper.make_tensor_value_info(model.graph.node[0].output[0], 1, []))
    refused(model, "is given by nodes that go")


def test_a_value_of_what_stands_in_the_place_of_a_node_is_read_by_no_other() -> None:
    model = convert(model_of("(float[2,3] X) => (float[2,3] Y) { Y = Clip<min=-0.5, max=0.5>(X) }", 10), opset=13)
    model.graph.node.append(helper.make_node("Neg", [model.graph.node[0].output[0]], ["Z"]))
    model.graph.output.append(helper.make_tensor_value_info("Z", 1, []))
    with pytest.raises(DiagnosticError, match="OW576"):
        detach(model)


@pytest.mark.parametrize("ir_version", [4, 8, 10])
@pytest.mark.parametrize(
    ("text", "opset", "other"), [("Softmax(X)", 12, 22), ("LogSoftmax(X)", 12, 13), ("CastLike(X, X)", 21, 18)]
)
def test_calls_of_what_was_converted_are_taken_back_twice(
    standard: Bundle, text: str, opset: int, other: int, ir_version: int
) -> None:
    original = model_of(f"(float[2,60] X) => (float[2,60] Y) {{ Y = {text} }}", opset, ir_version)
    model = attach(convert(original, opset=other), standard, replace=True)
    assert model.functions
    assert detach(model) == original
    again = convert(model, opset=other - 1, libraries=standard)
    assert again.opset_import[0].version == other - 1
    assert detach(again) == original


@pytest.mark.parametrize("ir_version", [9, 10])
def test_an_older_ir_version_alone_is_taken_back_with_what_was_attached(standard: Bundle, ir_version: int) -> None:
    original = model_of("(float[2,60] X) => (float[2,60] Y) { Y = Softmax(X) }", 17, ir_version)
    for opset in (17, 20):
        model = polyfill(attach(original, standard, replace=True), opset=opset, libraries=standard)
        assert model.functions and detach(model) == original


@pytest.mark.parametrize("ir_version", [8, 10])
def test_a_copy_of_a_call_does_not_call_what_is_gone(standard: Bundle, ir_version: int) -> None:
    original = model_of("(float[2,3] X, float a) => (float[2,3] Y) { Y = Clip(X, a) }", 18, ir_version)
    model = attach(original, standard, replace=True)
    model.graph.node.append(helper.make_node(model.graph.node[0].op_type, ["Y", "a"], ["Z"], domain="opwright.ai.onnx"))
    refused(model, "which was attached, and does not say what it was")


def test_a_call_in_a_function_that_was_made_since_needs_its_opset_there(standard: Bundle) -> None:
    model = attach(model_of("(float[2,3] X) => (float[2,3] Y) { Y = Mish(X) }", 18), standard, replace=True)
    imports = [helper.make_opsetid("opwright.ai.onnx", 18)]
    model.functions.append(helper.make_function("w", "F", ["X"], ["Y"], model.graph.node, imports))
    model.graph.node[0].CopyFrom(helper.make_node("F", ["X"], ["Y"], domain="w"))
    model.opset_import.append(helper.make_opsetid("w", 1))
    refused(model, "the function w::F, which was made since, holds a node ai.onnx::Mish")


def test_notes_of_an_older_conversion_are_not_taken_for_those_of_the_last(standard: Bundle) -> None:
    model = convert(model_of("(float[2,3] X) => (float[2,3] Y) { Y = Softmax<axis=0>(X) }", 9), opset=13)
    assert any(node.metadata_props for node in model.graph.node)
    del model.metadata_props[:]
    refused(polyfill(model, opset=19, libraries=standard), "of which the model says nothing")
    refused(attach(model, standard, replace=True), "of which the model says nothing")


@pytest.mark.parametrize("ir_version", [8, 10])
def test_a_call_that_was_put_into_another_graph_without_its_note_is_not_left_there(
    standard: Bundle, ir_version: int
) -> None:
    original = model_of("(float[2,3] X, bool c) => (float[2,3] Y) { Y = Mish(X) }", 18, ir_version)
    model = attach(original, standard, replace=True)
    node = helper.make_node(model.graph.node[0].op_type, ["X"], ["t"], domain="opwright.ai.onnx")
    graph = helper.make_graph([node], "b", [], [helper.make_tensor_value_info("t", 1, [2, 3])])
    model.graph.node[0].CopyFrom(helper.make_node("If", ["c"], ["Y"], then_branch=graph, else_branch=graph))
    with pytest.raises(DiagnosticError, match="OW576"):
        detach(model)


@pytest.mark.parametrize("inline", [False, True])
def test_what_the_graph_of_a_scan_gives_keeps_its_rank(standard: Bundle, inline: bool) -> None:
    """onnxruntime wants it, and does not see it through a call, nor through a Reshape."""
    text = """(float[2,3,4] X) => (float[a,b,c] Y)
        { Y = Scan<num_scan_inputs = 1, body = b (float[3,4] x) => (float[p,q] y) { y = Softmax<axis = 0>(x) }>(X) }"""
    x = np.random.default_rng(3).standard_normal((2, 3, 4)).astype(np.float32)
    for opset in (11, 18):
        original = model_of(text, opset, 8)
        (graph,) = (item.g for item in original.graph.node[0].attribute if item.name == "body")
        graph.output[0].type.tensor_type.ClearField("shape")
        moved = opset == 11
        model = convert(original, opset=13) if moved else attach(original, standard, replace=True, inline=inline)
        (found,), (expected,) = (
            onnxruntime.InferenceSession(item.SerializeToString()).run(None, {"X": x}) for item in (model, original)
        )
        np.testing.assert_allclose(found, expected, rtol=1e-6)
        assert (inline and opset == 18) or detach(model) == original


@pytest.mark.parametrize("ir_version", [8, 10])
def test_onnx_ir_keeps_all_outputs_of_calls(standard: Bundle, ir_version: int) -> None:
    """It writes none without a name at the end of a node, and onnxruntime wants as many as the function has."""
    original = model_of(
        "(float[2,60] X, float[60] s) => (float[2,60] Y) { Y = LayerNormalization(X, s) }", 18, ir_version
    )
    given = onnx_ir.from_proto(original)
    for made in (attach(given, standard, replace=True), polyfill(given, opset=16, libraries=standard)):
        onnxruntime.InferenceSession(onnx_ir.to_proto(made).SerializeToString())
        assert [*onnx_ir.to_proto(detach(made)).graph.node[0].output] == ["Y"]


def test_an_output_keeps_the_element_type_that_another_tool_gives_it(standard: Bundle) -> None:
    text = "(float[2,3] X) => (float[2,3] Y) { Y = Mish(X) }"
    original = model_of(text, 18)
    original.graph.output[0].type.tensor_type.ClearField("shape")
    model = attach(original, standard, replace=True, late_types=True)
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    found = detach(model)
    assert found.graph.output[0].type.tensor_type.elem_type == onnx.TensorProto.FLOAT16
    assert not found.graph.output[0].type.tensor_type.HasField("shape")
