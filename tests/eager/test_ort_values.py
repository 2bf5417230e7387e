"""Arrays of every element type through a real onnxruntime session and back."""

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from opwright.eager.ort_values import is_native, to_array, to_value
from opwright.elements import BY_NAME, ElementType
from opwright.graphs.ndarrays import DTYPES
from opwright_build.verify.dtypes import array_bytes

# onnxruntime 1.31 has no complex tensors and none of 6 bits; strings have no bytes of their own.
TYPES = [kind for kind in BY_NAME.values() if kind.kind not in ("string", "complex") and kind.bits != 6]


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.name)
@pytest.mark.parametrize("shape", [(5,), (2, 3), (), (0, 4)])
def test_an_array_comes_back_as_it_went(kind: ElementType, shape: tuple[int, ...]) -> None:
    count = int(np.prod(shape))
    array = np.resize(np.array([0, 1, 0, 1, 1]), count).reshape(shape).astype(DTYPES[kind])
    back = to_array(to_value(onnxruntime, array, kind.name))
    assert back.dtype == array.dtype
    assert back.shape == shape
    assert array_bytes(back) == array_bytes(array)


@pytest.mark.parametrize(
    ("name", "values"),
    [("bfloat16", [1.5, -2.0, np.inf]), ("float8e5m2", [0.5, -8.0]), ("int4", [-8, 7, 1]), ("uint4", [0, 15, 3])],
)
def test_the_values_are_those_that_the_runtime_sees(name: str, values: list[float]) -> None:
    kind = BY_NAME[name]
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)],
        "g",
        [helper.make_tensor_value_info("x", kind.code, ["n"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    assert not is_native(name)
    value = to_value(onnxruntime, np.array(values, DTYPES[kind]), name)
    (result,) = session.run_with_ort_values(["y"], {"x": value})
    assert result.numpy().tolist() == values
