"""Operators of ai.onnx.ml whose attributes decide what they give: what follows has a sign of Python, and compiles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, TypeProto, helper, numpy_helper
from opwright import decompile

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, imports_of, interface_of, run_ort

KEYS: dict[str, Any] = {"keys_int64s": [1, 2, 3]}
LINEAR: dict[str, Any] = {"coefficients": [1.0, -1.0], "intercepts": [0.0, 0.5], "multi_class": 1}
WORDS = {"cats_int64s": [1, 2], "cats_strings": ["a", "b"]}
LABELS = np.array([1, 2, 5], np.int64)
COLUMN = np.array([[1.0], [-2.0]], np.float32)


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(
    ("operator", "version", "attributes", "given", "element"),
    [
        ("LabelEncoder", 2, KEYS | {"values_floats": [0.5, 1.5, 2.5]}, LABELS, TensorProto.FLOAT),
        ("LabelEncoder", 2, KEYS | {"values_int64s": [7, 8, 9]}, LABELS, TensorProto.INT64),
        ("LabelEncoder", 2, KEYS | {"values_strings": ["a", "b", "c"]}, LABELS, TensorProto.STRING),
        ("LabelEncoder", 1, {"classes_strings": ["a", "b", "c"]}, np.array(["b", "c"], object), TensorProto.INT64),
        (
            "LabelEncoder",
            4,
            KEYS | {"values_tensor": numpy_helper.from_array(np.array([1.5, 2.5, 3.5]))},
            LABELS,
            TensorProto.DOUBLE,
        ),
        ("LinearClassifier", 1, LINEAR | {"classlabels_ints": [4, 5]}, COLUMN, TensorProto.INT64),
        ("LinearClassifier", 1, LINEAR | {"classlabels_strings": ["a", "b"]}, COLUMN, TensorProto.STRING),
        ("CategoryMapper", 1, WORDS, LABELS, TensorProto.STRING),
        ("CategoryMapper", 1, WORDS, np.array(["b", "x"], object), TensorProto.INT64),
    ],
)
def test_what_attributes_decide(
    operator: str,
    version: int,
    attributes: dict[str, Any],
    given: Any,
    element: int,
    faithful: bool,
    tmp_path: Path,
) -> None:
    model = model_of(operator, version, attributes, given, element)
    made = decompile(model, faithful=faithful)
    assert "a == a" in made.text
    made.write(tmp_path / "classical.py")
    again = make(tmp_path / "classical.py")
    assert isinstance(again, onnx.ModelProto)
    assert (interface_of(again), imports_of(again)) == (interface_of(model), imports_of(model))
    assert all(map(equal, run_ort(again, [given]), run_ort(model, [given])))


def model_of(operator: str, version: int, attributes: dict[str, Any], given: Any, element: int) -> onnx.ModelProto:
    code = TensorProto.STRING if given.dtype == object else helper.np_dtype_to_tensor_dtype(given.dtype)
    nodes = [
        helper.make_node(
            operator,
            ["x"],
            ["a", "scores"][: 2 if "Classifier" in operator else 1],
            "",
            domain="ai.onnx.ml",
            **attributes,
        ),
        helper.make_node("Equal", ["a", "a"], ["y"]),
    ]
    shape = ["N", *given.shape[1:]]
    graph = helper.make_graph(
        nodes,
        "classical",
        [helper.make_tensor_value_info("x", code, shape)],
        [
            helper.make_tensor_value_info("y", TensorProto.BOOL, shape[:1]),
            helper.make_value_info("a", TypeProto(tensor_type=TypeProto.Tensor(elem_type=element))),
        ],
    )
    imports = [helper.make_opsetid("", 19), helper.make_opsetid("ai.onnx.ml", version)]
    return helper.make_model(graph, opset_imports=imports, ir_version=9)


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("type_", ["map(string, float)", "map(string, float[1])", "map(string, float[])"])
@pytest.mark.parametrize("shape", ["[1, 3]", "[N, 3]", "[?, ?]"])
def test_a_vector_of_a_map_has_a_shape_of_its_own(shape: str, type_: str, faithful: bool, tmp_path: Path) -> None:
    model = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["": 18, "ai.onnx.ml": 3]> g ({type_} d) => (float{shape} y) {{
            t = ai.onnx.ml.DictVectorizer <string_vocabulary = ["a", "b", "c"]> (d)
            y = Neg (t)
        }}"""
    )
    decompile(model, faithful=faithful).write(tmp_path / "classical.py")
    again = make(tmp_path / "classical.py")
    assert isinstance(again, onnx.ModelProto)
    assert interface_of(again) == interface_of(model)
    assert not any(value.type.tensor_type.HasField("shape") for value in again.graph.value_info)
    vector = {"a": 1.0, "c": 2.0}
    assert all(map(equal, run_ort(again, [vector]), run_ort(model, [vector])))
