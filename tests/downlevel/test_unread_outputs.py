"""Outputs that nothing reads may have another meaning at another version; and keys of LabelEncoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import opwright
import pytest
from onnx import TensorProto, helper, parser

from tests.decompiler.roundtrip import equal, run_ort

MASKED = "agraph (float[N] x) => (float[N] y{more}) {{ y, mask = Dropout <ratio = 0.25> (x) {then} }}"


@pytest.mark.parametrize("opset", [10, 12, 13, 22])
def test_a_mask_that_nothing_reads_is_no_obstacle(opset: int) -> None:
    """As exporters of models for vision wrote it."""
    model = parser.parse_model('<ir_version: 3, opset_import: ["": 7]>' + MASKED.format(more="", then=""))
    made = opwright.convert(model, opset=opset)
    assert opwright.detach(made) == model
    x = np.arange(4, dtype=np.float32)
    assert all(map(equal, run_ort(made, [x]), run_ort(model, [x])))


@pytest.mark.parametrize(("more", "then"), [(", float[N] mask", ""), ("", "z = Neg (mask)")])
def test_a_mask_that_is_read_is_refused(more: str, then: str) -> None:
    model = parser.parse_model('<ir_version: 3, opset_import: ["": 7]>' + MASKED.format(more=more, then=then))
    with pytest.raises(opwright.DiagnosticError, match="OW582"):
        opwright.convert(model, opset=13)


def encoder(version: int, **attributes: Any) -> onnx.ModelProto:
    given = {"keys_strings": ["a", "b"], "values_int64s": [1, 2]} | attributes
    node = helper.make_node("LabelEncoder", ["x"], ["y"], domain="ai.onnx.ml", **given)
    values = [helper.make_tensor_value_info("x", TensorProto.STRING, ["N"])]
    graph = helper.make_graph([node], "g", values, [helper.make_tensor_value_info("y", TensorProto.INT64, ["N"])])
    imports = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=imports, ir_version=9)


def test_a_label_encoder_of_lists_is_one_of_version_2() -> None:
    model = encoder(4)
    old = opwright.polyfill(model, opset=18, libraries=[])
    assert {item.domain: item.version for item in old.opset_import} == {"": 18, "ai.onnx.ml": 3}
    assert opwright.detach(old) == model
    given = np.array(["b", "x", "a"], object)
    assert all(map(equal, run_ort(old, [given]), run_ort(model, [given])))


@pytest.mark.parametrize(
    ("keys", "reason"),
    [({"keys_strings": ["a", "a"]}, "stands there twice"), ({"default_tensor": [1]}, "default_tensor is set")],
)
def test_what_a_label_encoder_of_version_2_does_not_say_is_refused(keys: dict[str, Any], reason: str) -> None:
    if "default_tensor" in keys:
        keys = {"default_tensor": onnx.numpy_helper.from_array(np.array([7]))}
    with pytest.raises(opwright.DiagnosticError, match=reason):
        opwright.polyfill(encoder(4, **keys), opset=18, libraries=[])
