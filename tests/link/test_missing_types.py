"""Models whose outputs or inputs have no type or shape are served, and what follows of these is written."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, TensorProto, ValueInfoProto, helper
from opwright.bundle.format import Bundle
from opwright.link.apply import attach, attach_libraries
from opwright.link.detach import detach
from opwright.link.metadata import OUTPUTS

from tests.link.conftest import LibraryBuilder, parse, refused, run_everywhere

TEXT = """<ir_version: {}, opset_import: ["": 18, "com.acme": 1]> g (float[2, N] x) => (float[2, N] y, float[2, N] z) {{
    t = com.acme.Swish(x)
    y, z = com.acme.Pair(t)
}}"""
X = np.array([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0]], np.float32)


def without_types(model: ModelProto) -> None:
    for value in model.graph.output:
        value.ClearField("type")


def without_shapes(model: ModelProto) -> None:
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")


def without_elements(model: ModelProto) -> None:
    for value in model.graph.output:
        value.type.tensor_type.elem_type = TensorProto.UNDEFINED


@pytest.mark.parametrize("ir_version", [8, 10])
@pytest.mark.parametrize("change", [without_types, without_shapes, without_elements])
def test_what_follows_is_written_and_taken_back(change: object, ir_version: int, acme: Bundle) -> None:
    typed = parse(TEXT.format(ir_version))
    before = parse(TEXT.format(ir_version))
    assert callable(change)
    change(before)
    done = attach_libraries(before, [acme])
    assert done.diagnostics == ()
    assert [*done.model.graph.output] == [*typed.graph.output]
    run_everywhere(done.model, x=X)
    assert detach(done.model).SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)


@pytest.mark.parametrize("inline", [False, True])
@pytest.mark.parametrize("name", ["N", "unk__0"])
def test_names_that_inference_makes_up_are_not_written(inline: bool, name: str, acme: Bundle) -> None:
    before = parse(f"""<ir_version: 10, opset_import: ["": 18, "com.acme": 1]>
    g (float[{name}, 4] x) => (float y, float z) {{ y = com.acme.Swish(x) z = Concat <axis = 0> (x, y) }}""")
    without_shapes(before)
    after = attach(before, acme, inline=inline)
    dims = [item.type.tensor_type.shape.dim for item in after.graph.output]
    shapes = [[size.dim_param or size.dim_value for size in sizes] for sizes in dims]
    assert shapes == [[name, 4], [0, 4]]
    assert inline or detach(after) == before


def test_the_type_of_a_value_inside_is_not_taken_for_that_of_an_output(acme: Bundle) -> None:
    model = parse("""<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (float[2, 3] x, bool c) => (float[2, 3] y, float z) {
        z = If (c) <
            then_branch = yes () => (float u) { y = Constant <value = float {1}> () u = com.acme.Swish(y) },
            else_branch = no () => (float v) { v = Constant <value = float {2}> () }
        >
        y = com.acme.Swish(x)
    }""")
    typed = model.graph.output[0].type.SerializeToString()
    without_shapes(model)
    done = attach_libraries(model, [acme])
    assert done.diagnostics == ()
    assert done.model.graph.output[0].type.SerializeToString() == typed


def test_nothing_is_remembered_of_what_is_inlined(acme: Bundle) -> None:
    before = parse(TEXT.format(8))
    without_types(before)
    after = attach(before, acme, inline=True)
    assert not after.metadata_props
    assert [*after.graph.output] == [*parse(TEXT.format(8)).graph.output]


def test_attaching_twice_remembers_the_first(acme: Bundle) -> None:
    other = LibraryBuilder(name="other", domain="org.other")
    other.add("F", "(x) => (y) { y = Neg(x) }")
    text = TEXT.format(8).replace("y, z = com.acme.Pair(t)", "s = org.other.F(t) y, z = com.acme.Pair(s)")
    before = parse(text.replace('"com.acme": 1', '"com.acme": 1, "org.other": 1'))
    without_types(before)
    after = attach(attach(before, acme), other.bundle())
    assert after.graph.output[0].type.tensor_type.elem_type == TensorProto.FLOAT
    assert detach(after) == before


def unknown_rank(ir_version: int = 8) -> ModelProto:
    model = parse(TEXT.format(ir_version))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.ClearField("shape")
    return model


def test_unknown_ranks_are_a_warning_where_onnxruntime_takes_them(acme: Bundle) -> None:
    before = unknown_rank()
    done = attach_libraries(before, [acme])
    (found,) = done.diagnostics
    assert (found.code, found.severity.value) == ("OW588", "warning")
    assert "Field 'shape'" in found.reason
    session = ort.InferenceSession(done.model.SerializeToString(), providers=["CPUExecutionProvider"])
    y, z = session.run(None, {"x": X})
    np.testing.assert_array_equal(z, np.abs(y))
    assert detach(done.model) == before


def test_names_that_the_judges_copy_takes_may_be_taken(acme: Bundle) -> None:
    before = unknown_rank()
    before.graph.input.append(helper.make_tensor_value_info("x_elements", TensorProto.FLOAT, None))
    (found,) = attach_libraries(before, [acme]).diagnostics
    assert found.code == "OW588"
    assert "Field 'shape'" in found.reason


def test_what_else_is_wrong_with_such_a_model_is_an_error(acme: Bundle) -> None:
    before = unknown_rank()
    before.graph.node.append(helper.make_node("Neg", ["nowhere"], ["v"]))
    (found,) = refused(lambda: attach(before, acme))
    assert found.code == "OW567"
    assert "nowhere" in found.reason


def test_sequences_and_absent_outputs(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[4] x) => (s, n) {
        t = com.acme.Swish(x)
        s = SequenceConstruct(t, t)
        n = SequenceLength(s)
    }"""
    before = parse(text)
    assert not any(value.HasField("type") for value in before.graph.output)
    after = attach(before, acme)
    assert after.graph.output[0].type.sequence_type.elem_type.tensor_type.elem_type == TensorProto.FLOAT
    assert after.graph.output[1].type.tensor_type.elem_type == TensorProto.INT64
    assert detach(after) == before


@pytest.mark.parametrize("value", ["[]", "{", '{"y": 3}', '{"y": "?"}', '{"y": "AAAA"}'])
def test_spoilt_records_are_a_finding(value: str, acme: Bundle) -> None:
    before = parse(TEXT.format(10))
    without_types(before)
    attached = attach(before, acme)
    memo = next(item for item in attached.metadata_props if item.key.startswith(OUTPUTS))
    memo.value = value
    assert refused(lambda: detach(attached))[0].code == "OW576"


def test_an_attribute_that_was_altered_is_not_thrown_away(acme: Bundle) -> None:
    for ir_version in (8, 10):
        attached = attach(parse(TEXT.format(ir_version)), acme)
        (alpha,) = attached.graph.node[0].attribute
        alpha.f = 0.5
        (found,) = refused(lambda attached=attached: detach(attached))
        assert (found.code, "Swish" in found.message) == ("OW576", True)


def test_a_model_of_onnx_helper_without_types(acme: Bundle) -> None:
    nodes = [helper.make_node("Swish", ["x"], ["y"], domain="com.acme")]
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N"])], [ValueInfoProto(name="y")]
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
    after = attach(helper.make_model(graph, opset_imports=opsets, ir_version=8), acme)
    onnx.checker.check_model(after, full_check=True)
