"""Maps: dictionaries as inputs and outputs of models, and as what operators of ai.onnx.ml take and give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import ModelProto, TensorProto, helper
from opwright import (
    FLOAT,
    INT32,
    INT64,
    STRING,
    DiagnosticError,
    Map,
    Sequence,
    decompile,
    opset18,
    opset_ai_onnx_ml3,
    script,
)

from tests.decompiler.make_models import make
from tests.decompiler.roundtrip import equal, imports_of, interface_of

ML: Any = opset_ai_onnx_ml3  # of which a checker of types would not take what is wrong here
OP: Any = opset18


@script()
def classes(x: FLOAT["N", 2]) -> Sequence[Map[INT64, FLOAT[...]]]:
    return opset_ai_onnx_ml3.ZipMap(x, classlabels_int64s=[3, 5])


@script()
def vector(given: Map[STRING, FLOAT[...]]) -> FLOAT[1, 2]:
    return opset_ai_onnx_ml3.DictVectorizer(given, string_vocabulary=["a", "b"])


def run(model: ModelProto, given: Any) -> Any:
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {model.graph.input[0].name: given})[0]


def test_a_map_that_is_given_back() -> None:
    model = classes.to_model_proto(opset=18)
    map_type = model.graph.output[0].type.sequence_type.elem_type.map_type
    assert (map_type.key_type, map_type.value_type.tensor_type.elem_type) == (TensorProto.INT64, TensorProto.FLOAT)
    x = np.array([[0.25, 0.75]], np.float32)
    assert run(model, x) == [{3: 0.25, 5: 0.75}] == list(classes(x))


def test_a_map_that_is_given() -> None:
    model = vector.to_model_proto(opset=18)
    assert model.graph.input[0].type.map_type.key_type == TensorProto.STRING
    given: Any = {"b": 2.0, "a": 1.0}
    assert run(model, given).tolist() == [[1.0, 2.0]] == np.asarray(vector(given)).tolist()


def test_a_map_is_no_tensor() -> None:
    @script()
    def wrong(given: Map[STRING, FLOAT[...]]) -> FLOAT[1]:
        return OP.Neg(given)

    @script()
    def keys(given: Map[INT32, FLOAT[...]]) -> FLOAT[1, 1]:
        return ML.DictVectorizer(given, string_vocabulary=["a"])

    with pytest.raises(DiagnosticError, match="OW"):
        wrong.to_model_proto()
    with pytest.raises(DiagnosticError, match="OW208"):
        keys.to_model_proto()


@pytest.mark.parametrize("faithful", [False, True])
def test_maps_there_and_back(faithful: bool, tmp_path: Path) -> None:
    def map_of(key: int, value: int) -> onnx.TypeProto:
        return helper.make_map_type_proto(key, helper.make_tensor_type_proto(value, None))

    listed = helper.make_sequence_type_proto(map_of(TensorProto.STRING, TensorProto.FLOAT))
    zipped = helper.make_node("ZipMap", ["x"], ["y"], domain="ai.onnx.ml", classlabels_strings=["a", "b"])
    cast = helper.make_node("CastMap", ["m"], ["z"], domain="ai.onnx.ml", cast_to="TO_FLOAT")
    table = map_of(TensorProto.INT64, TensorProto.FLOAT)
    for node, source, result, given in (
        (zipped, helper.make_tensor_type_proto(TensorProto.FLOAT, [None, 2]), listed, np.array([[1, 2]], np.float32)),
        (cast, table, helper.make_tensor_type_proto(TensorProto.FLOAT, [1, None]), {3: 2.5, 1: 0.5}),
    ):
        inputs = [helper.make_value_info(node.input[0], source)]
        outputs = [helper.make_value_info(node.output[0], result)]
        graph = helper.make_graph([node], "maps", inputs, outputs)
        imports = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
        model = helper.make_model(graph, opset_imports=imports, ir_version=8)
        path = tmp_path / f"{node.op_type}.py"
        decompile(model, faithful=faithful).write(path)
        again = make(path)
        assert isinstance(again, ModelProto)
        assert interface_of(again) == interface_of(model)
        assert imports_of(again) == imports_of(model)
        assert equal(run(model, given), run(again, given))
