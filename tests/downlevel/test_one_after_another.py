"""Models that are converted, polyfilled, attached to and inlined one after the other, and taken back."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import pytest
from onnx import ModelProto, helper
from opwright import DiagnosticError, attach, convert, detach, polyfill
from opwright.bundle.format import Bundle

FLOAT = onnx.TensorProto.FLOAT
SHAPE = [2, 3, 4]


def one_node(node: onnx.NodeProto, opset: int, *further: str) -> ModelProto:
    inputs = [helper.make_tensor_value_info("x", FLOAT, SHAPE)]
    types = {"i": onnx.TensorProto.INT64}
    inputs += [helper.make_tensor_value_info(name, types.get(name, FLOAT), SHAPE) for name in further]
    outputs = [helper.make_tensor_value_info("y", FLOAT, ["a", "b", "c"])]
    graph = helper.make_graph([node], "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    onnx.checker.check_model(model)
    return model


def scatter() -> ModelProto:
    return one_node(helper.make_node("ScatterElements", ["x", "i", "u"], ["y"], reduction="max"), 20, "i", "u")


@pytest.mark.parametrize(
    "inlined",
    [
        lambda model, standard: attach(convert(model, opset=15, libraries=standard), standard, inline=True),
        lambda model, standard: attach(polyfill(model, opset=15, libraries=standard), standard, inline=True),
        lambda model, standard: polyfill(
            polyfill(model, opset=15, libraries=standard), opset=15, libraries=standard, inline=True
        ),
    ],
)
def test_detach_has_nothing_to_take_out_of_what_was_inlined(
    standard: Bundle, inlined: Callable[[ModelProto, Bundle], ModelProto]
) -> None:
    found = inlined(scatter(), standard)
    assert not found.functions and not found.metadata_props
    onnx.checker.check_model(found, full_check=True)
    assert detach(found) == found


@pytest.mark.parametrize(("opset", "runtime"), [(18, ""), (20, ""), (None, "ort==1.17")])
def test_a_converted_model_is_polyfilled_as_its_original_is(standard: Bundle, opset: int | None, runtime: str) -> None:
    """The opset stays, and the IR version becomes an older one."""
    model = one_node(helper.make_node("Dropout", ["x"], ["y"]), 22)
    found = polyfill(convert(model, opset=18), opset=opset, runtime=runtime, libraries=standard)
    assert found.opset_import[0].version == 18 and found.ir_version < model.ir_version
    assert detach(found) == model


def test_what_is_polyfilled_and_needs_nothing_more_stays(standard: Bundle) -> None:
    model = one_node(helper.make_node("Dropout", ["x"], ["y"]), 22)
    found = polyfill(model, opset=18, libraries=standard)
    for opset in (18, 20):
        assert polyfill(found, opset=opset, libraries=()) == found


@pytest.mark.parametrize(
    ("node", "opset"),
    [
        (helper.make_node("Clip", ["x"], ["y"], min=0.0, max=1.0), 9),
        (helper.make_node("ReduceSumSquare", ["x"], ["y"], axes=[1]), 13),
    ],
    ids=lambda item: getattr(item, "op_type", ""),
)
def test_a_call_in_the_place_of_a_node_that_became_several_is_taken_back(
    standard: Bundle, node: onnx.NodeProto, opset: int
) -> None:
    model = one_node(node, opset)
    found = attach(convert(model, opset=18), standard, replace=True)
    assert found.functions
    assert detach(found) == model


@pytest.mark.parametrize(("opset", "other"), [(10, 9), (9, 18)])
def test_outputs_without_names_come_back(opset: int, other: int) -> None:
    model = one_node(helper.make_node("Dropout", ["x"], ["y", ""]), opset)
    found = convert(model, opset=other)
    assert detach(found).SerializeToString() == model.SerializeToString()


def clip_and_softmax(ir_version: int) -> ModelProto:
    model = one_node(helper.make_node("Softmax", ["x"], ["y"]), 9)
    model.graph.node[0].input[0] = "c"
    model.graph.node.insert(0, helper.make_node("Clip", ["x"], ["c"], min=0.0, max=1.0))
    model.ir_version = ir_version
    return model


@pytest.mark.parametrize("ir_version", [7, 9, 10])
@pytest.mark.parametrize(
    "taken_back",
    [
        lambda model, _: detach(model),
        lambda model, _: convert(model, opset=20),
        lambda model, standard: detach(attach(model, standard, replace=True)),
    ],
    ids=["detach", "convert", "attach"],
)
def test_a_node_that_was_added_does_not_become_one_of_the_older_opset(
    standard: Bundle, ir_version: int, taken_back: Callable[[ModelProto, Bundle], ModelProto]
) -> None:
    """Softmax of 9 takes all axes from its axis on, that of 13 takes one."""
    found = convert(clip_and_softmax(ir_version), opset=18)
    found.graph.node.append(helper.make_node("Softmax", ["y"], ["z"]))
    with pytest.raises(DiagnosticError, match=r"ai\.onnx::Softmax was added or altered after") as caught:
        taken_back(found, standard)
    assert [item.code for item in caught.value.diagnostics] == ["OW576"]


def test_a_node_that_was_altered_does_not_come_back_with_another_meaning() -> None:
    model = one_node(helper.make_node("Softmax", ["x"], ["y"], axis=2), 9)
    found = convert(model, opset=18)
    found.graph.node[0].attribute[0].i = 1
    with pytest.raises(DiagnosticError, match="OW576"):
        detach(found)


def test_a_node_that_means_the_same_at_both_opsets_may_be_added() -> None:
    model = clip_and_softmax(10)
    found = convert(model, opset=18)
    found.graph.node.append(helper.make_node("Sin", ["y"], ["z"]))
    model.graph.node.append(helper.make_node("Sin", ["y"], ["z"]))
    assert detach(found) == model


def test_a_model_with_nodes_added_is_converted_further_once_it_is_inlined() -> None:
    found = convert(clip_and_softmax(10), opset=18)
    found.graph.node.append(helper.make_node("Softmax", ["y"], ["z"]))
    found = attach(found, (), inline=True)
    assert not found.metadata_props and not any(node.metadata_props for node in found.graph.node)
    assert convert(found, opset=20).graph.node[-1] == helper.make_node("Softmax", ["y"], ["z"])


def test_nodes_that_another_tool_moved_to_a_function_do_not_get_the_older_form_there() -> None:
    found = convert(clip_and_softmax(10), opset=18)
    imports = [helper.make_opsetid("", 18)]
    function = helper.make_function("acme", "Both", ["x"], ["y"], found.graph.node, imports)
    del found.graph.node[:]
    found.graph.node.append(helper.make_node("Both", ["x"], ["y"], domain="acme"))
    found.functions.append(function)
    found.opset_import.append(helper.make_opsetid("acme", 1))
    onnx.checker.check_model(found, full_check=True)
    with pytest.raises(DiagnosticError, match="the function acme::Both holds nodes that were brought to another opset"):
        detach(found)


def test_functions_of_a_model_keep_account_of_their_own_nodes() -> None:
    model = one_node(helper.make_node("Softmax", ["x"], ["y"]), 9)
    model.graph.node[0].CopyFrom(helper.make_node("Rows", ["x"], ["y"], domain="acme"))
    body = [helper.make_node("Softmax", ["x"], ["y"], axis=2)]
    function = helper.make_function("acme", "Rows", ["x"], ["y"], body, [helper.make_opsetid("", 9)])
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("acme", 1))
    found = convert(model, opset=18)
    assert detach(found) == model
    found.functions[0].node.append(helper.make_node("Softmax", ["y"], ["z"]))
    with pytest.raises(DiagnosticError, match=r"a node ai\.onnx::Softmax was added"):
        detach(found)
