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


TYPES = {8: "float", 10: "bool", 12: "bool", 13: "bool"}


@pytest.mark.parametrize("goal", [8, 9, 10, 11, 12, 13, 22])
@pytest.mark.parametrize("opset", TYPES)
@pytest.mark.parametrize("place", ["graph", "branch", "function"])
def test_the_type_that_is_declared_of_an_unread_mask_is_no_obstacle(opset: int, goal: int, place: str) -> None:
    nodes = "y, mask = Dropout (x)"
    if opset < 12:
        nodes = "y, mask = Dropout <ratio = 0.25> (x)"
    declared = f"<{TYPES[opset]}[2] mask>"
    text = {
        "graph": f"agraph (float[2] x, bool c) => (float[2] y) {declared} {{ {nodes} }}",
        "branch": f"""agraph (float[2] x, bool c) => (float[2] z) {{
            z = If (c) <then_branch = yes () => (float[2] y) {declared} {{ {nodes} }},
                        else_branch = no () => (float[2] w) {{ w = Neg (x) }}>
        }}""",
        "function": f"""agraph (float[2] x, bool c) => (float[2] z) {{ z = my.F (x) }}
        <domain: "my", opset_import: ["": {opset}]> F (x) => (y) {{ {nodes} }}""",
    }[place]
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}, "my": 1]> {text}')
    if place == "function":
        code = TensorProto.FLOAT if opset < 10 else TensorProto.BOOL
        model.functions[0].value_info.append(helper.make_tensor_value_info("mask", code, [2]))
    made = opwright.convert(model, opset=goal)
    onnx.checker.check_model(made, full_check=True)
    assert opwright.detach(made) == model if goal != opset else made == model
    x = np.arange(2, dtype=np.float32)
    for c in (True, False):
        assert all(map(equal, run_ort(made, [x, np.array(c)]), run_ort(model, [x, np.array(c)])))


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
