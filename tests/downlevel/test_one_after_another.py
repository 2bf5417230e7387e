"""Models that are converted, polyfilled, attached to and inlined one after the other, and taken back."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import pytest
from onnx import ModelProto, helper
from opwright import attach, convert, detach, polyfill
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
