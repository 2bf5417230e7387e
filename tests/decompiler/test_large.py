"""Large tensors through the decompiler and back: from files to files, with few copies in memory."""

from __future__ import annotations

import importlib.util
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.lib.stride_tricks import as_strided
from onnx import TensorProto, helper, numpy_helper
from opwright import FLOAT, DiagnosticError, decompile, script
from opwright import opset18 as op

from tests.shares import one_in

SIZE = 1 << 25
ROWS = SIZE // 4096


def model_with(*tensors: TensorProto) -> onnx.ModelProto:
    """One that multiplies with the first of the tensors."""
    x, y = (helper.make_tensor_value_info(*item) for item in (("x", 1, ["N", ROWS]), ("y", 1, ["N", 1024])))
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "g", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose tensor lies in a file."""
    weights = np.arange(SIZE // 4, dtype=np.float32).reshape(ROWS, 1024)
    path = tmp_path_factory.mktemp("large") / "model.onnx"
    model = model_with(numpy_helper.from_array(weights, "w"))
    onnx.save(model, path, save_as_external_data=True, location="w.bin", size_threshold=1024)
    return path


def peak_of(step: Callable[[], Any]) -> tuple[Any, int]:
    tracemalloc.start()
    try:
        return step(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(path: Path) -> Any:
    row = np.zeros((1, ROWS), np.float32)
    row[0, -1] = 1
    return onnxruntime.InferenceSession(str(path)).run(None, {"x": row})[0]


def test_files_become_files(saved: Path, tmp_path: Path) -> None:
    model = onnx.load(saved, load_external_data=False)
    made, peak = peak_of(lambda: decompile(model, side_file="m.npz", folder=saved.parent))
    assert peak < SIZE // 8
    _, peak = peak_of(lambda: made.write(tmp_path / "m.py"))
    assert peak < SIZE
    module = load(tmp_path / "m.py")
    again, peak = peak_of(lambda: module.model(tmp_path / "again.bin"))
    assert peak < 1.25 * SIZE
    assert again.ByteSize() < 1000
    onnx.save(again, tmp_path / "again.onnx")
    onnx.checker.check_model(tmp_path / "again.onnx")
    assert results(tmp_path / "again.onnx").tolist() == results(saved).tolist()


def test_a_model_may_hold_its_tensors(saved: Path, tmp_path: Path) -> None:
    decompile(onnx.load(saved), side_file="m.npz").write(tmp_path / "m.py")
    module = load(tmp_path / "m.py")
    again, peak = peak_of(module.model)
    assert peak < 2.25 * SIZE  # the array, and its bytes on their way into the proto
    onnx.save(again, tmp_path / "again.onnx")
    assert again.graph.initializer[0].raw_data == onnx.load(saved).graph.initializer[0].raw_data


def test_what_is_no_regular_file_is_not_taken_for_arrays(tmp_path: Path) -> None:
    """A pipe in the place of the arrays would be waited for."""
    weights = numpy_helper.from_array(np.zeros(SIZE // 4, np.float32), "w")
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [SIZE // 4])]
    graph = helper.make_graph([helper.make_node("Identity", ["w"], ["y"])], "g", [], outputs, [weights])
    made = decompile(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), side_file="m.npz")
    os.mkfifo(tmp_path / "m.npz")
    with pytest.raises(DiagnosticError) as refused:
        made.write(tmp_path / "m.py")
    assert refused.value.diagnostics[0].code == "OW592"
    (tmp_path / "m.npz").unlink()
    made.write(tmp_path / "m.py")
    (tmp_path / "m.npz").unlink()
    os.mkfifo(tmp_path / "m.npz")
    with pytest.raises(DiagnosticError) as unread:
        load(tmp_path / "m.py").model()
    assert unread.value.diagnostics[0].code == "OW591"


def test_a_constant_whose_tensor_is_called_like_an_initializer(tmp_path: Path) -> None:
    size = (1 << 18) + 1
    weights, others = (numpy_helper.from_array(np.full(size, number, np.float32), "w") for number in (2, 3))
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [size])]
    nodes = [helper.make_node("Constant", [], ["c"], value=others), helper.make_node("Sub", ["c", "w"], ["y"])]
    graph = helper.make_graph(nodes, "g", [], outputs, [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, convert_attribute=False)
    decompile(tmp_path / "m.onnx").write(tmp_path / "m.py")
    onnx.save(load(tmp_path / "m.py").model(), tmp_path / "again.onnx")
    found = onnxruntime.InferenceSession(str(tmp_path / "again.onnx")).run(None, {})[0]
    assert found.tolist() == [1.0] * size


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("count", [1, 2])
def test_large_constants_of_branches(count: int, faithful: bool, tmp_path: Path) -> None:
    """What one trip of the loop takes from the other branch is not what later ones find in the constant."""
    size = (1 << 18) + 1
    model = onnx.parser.parse_model(
        f"""<ir_version: 8, opset_import: ["": 18]>
        g (bool[4] pick, float[{size}] x) => (float[{size}] total) {{
            n = Constant <value = int64 {{4}}> ()
            total = Loop (n, "", x) <body: graph = body (int64 i, bool c, float[{size}] s)
                => (bool c2, float[{size}] out) {{
                c2 = Identity (c)
                p = Gather (pick, i)
                y = If (p) <then_branch: graph = then () => (float[{size}] a) {{ a = Neg (x) }},
                            else_branch: graph = other () => (float[{size}] b) {{ b = Add (x, x) }}>
                out = Add (s, y)
            }}>
        }}"""
    )
    branches = [attribute.g for attribute in model.graph.node[1].attribute[0].g.node[2].attribute]
    for number, branch in enumerate(branches[:count]):
        value = numpy_helper.from_array(np.full(size, 7 + number, np.float32))
        branch.node[0].CopyFrom(helper.make_node("Constant", [], branch.node[0].output, value=value))
    decompile(model, faithful=faithful).write(tmp_path / "m.py")
    given = {"pick": np.array([True, False, False, True]), "x": np.ones(size, np.float32)}
    wanted, found = (
        onnxruntime.InferenceSession(item.SerializeToString()).run(None, given)[0]
        for item in (model, load(tmp_path / "m.py").model())
    )
    assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("dtype", one_in(2, [ml_dtypes.bfloat16, ml_dtypes.int4, np.float16, np.bool_, np.complex64]))
def test_types_that_files_hold(dtype: Any, tmp_path: Path) -> None:
    values = (np.arange(SIZE // 8) % 2).astype(dtype).reshape(2, -1)
    names = ("w", "b")
    tensors = [numpy_helper.from_array(values, name) for name in names]
    kind = tensors[0].data_type
    outputs = [helper.make_tensor_value_info(f"y{name}", kind, [2, values.shape[1]]) for name in names]
    nodes = [helper.make_node("Identity", [name], [f"y{name}"]) for name in names]
    graph = helper.make_graph(nodes, "g", [], outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=1024)
    outside = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    decompile(outside, side_file="m.npz", folder=tmp_path).write(tmp_path / "m.py")
    onnx.save(load(tmp_path / "m.py").model(tmp_path / "again.bin"), tmp_path / "again.onnx")
    for tensor in onnx.load(tmp_path / "again.onnx").graph.initializer:
        assert (tensor.data_type, list(tensor.dims)) == (kind, list(values.shape))
        assert numpy_helper.to_array(tensor).tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [("location", "../w.bin", "OW550"), ("location", "none.bin", "OW550"), ("length", "8", "OW550")],
)
def test_files_that_are_refused(key: str, value: str, code: str, saved: Path) -> None:
    model = onnx.load(saved, load_external_data=False)
    for item in model.graph.initializer[0].external_data:
        item.value = value if item.key == key else item.value
    with pytest.raises(DiagnosticError) as error:
        decompile(model, folder=saved.parent)
    assert error.value.diagnostics[0].code == code


@script()
def product(x: FLOAT[2, 1 << 20], w: FLOAT[1 << 20, 1 << 10]) -> FLOAT[2, 1 << 10]:
    return op.MatMul(x, w)


def test_more_than_protobuf_holds_is_refused() -> None:
    huge = as_strided(np.zeros(1, np.float32), (1 << 20, 1 << 10), (0, 0))
    with pytest.raises(DiagnosticError) as error:
        product.to_model_proto(initializers={"w": huge})
    assert error.value.diagnostics[0].code == "OW384"


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    huge = as_strided(np.zeros(1, np.float32), (1 << 20, 1 << 10), (0, 0))
    with pytest.raises(DiagnosticError) as error:
        product.to_model_proto(initializers={"w": huge}, external_data=tmp_path / "none" / "w.bin")
    assert error.value.diagnostics[0].code == "OW572"


@pytest.mark.parametrize("faithful", [False, True])
def test_a_long_chain(faithful: bool, tmp_path: Path) -> None:
    """`tests.decompiler.sizes` takes one of 100,000 nodes."""
    signs = [("Relu", []), ("Add", ["x"]), ("Mul", ["half"])]
    names = ["x", *(f"v{index}" for index in range(3000))]
    nodes = [helper.make_node(signs[i % 3][0], [names[i], *signs[i % 3][1]], [names[i + 1]]) for i in range(3000)]
    x, y = (helper.make_tensor_value_info(name, 1, [2]) for name in ("x", "v2999"))
    half = numpy_helper.from_array(np.array(0.5, np.float32), "half")
    graph = helper.make_graph(nodes, "g", [x], [y], [half])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    decompile(model, faithful=faithful).write(tmp_path / "chain.py")
    made = load(tmp_path / "chain.py").model()
    assert [node.op_type for node in made.graph.node if node.op_type != "Constant"] == [node.op_type for node in nodes]
