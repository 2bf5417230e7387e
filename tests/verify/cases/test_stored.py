"""Stored vectors: archives of numpy, and ONNX backend-test directories."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from opwright.diagnostics.diagnostic import Place
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import VectorKind, VectorSource
from opwright_build.verify.case_model import Items
from opwright_build.verify.cases.stored import numpy_archive
from opwright_build.verify.cases.stored.backend_folder import read_backend
from opwright_build.verify.cases.stored.numpy_archive import read_archive
from opwright_build.verify.cases.stored.stored_rows import StoredFile

PLACE = Place("spec.yaml")


def read(tmp_path: Path, data: bytes) -> StoredFile:
    (tmp_path / "f").mkdir(exist_ok=True)
    (tmp_path / "f" / "v.npz").write_bytes(data)
    return read_archive(LibraryFiles(tmp_path), "f", VectorSource(VectorKind.ARRAYS, PLACE, path="v.npz"))


def packed(calls: Any, compressed: bool = False, **arrays: Any) -> bytes:
    stream = io.BytesIO()
    text = calls if isinstance(calls, str) else json.dumps({"schema": 1, "calls": calls})
    (np.savez_compressed if compressed else np.savez)(stream, calls=np.array(text), **arrays)
    return stream.getvalue()


def call(kind: str, **more: Any) -> list[Mapping[str, Any]]:
    value = {"array": "x", "type": kind}
    return [{"name": "one", "inputs": {"X": value}, "outputs": {"Y": value}, **more}]


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        ("float", np.array([1.5], np.float32), np.array([1.5], np.float32)),
        ("double", np.array([1.5], ">f8"), np.array([1.5])),
        ("int64", np.arange(6).reshape(2, 3).T, np.arange(6).reshape(2, 3).T),
        ("bool", np.array(True), np.array(True)),
        ("string", np.array(["a", "bc"]), np.array(["a", "bc"], object)),
        ("float", np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)),
        ("bfloat16", np.array([0x3FC0], np.uint16), np.array([1.5], ml_dtypes.bfloat16)),
        ("bfloat16", np.array([1.5], ml_dtypes.bfloat16), np.array([1.5], ml_dtypes.bfloat16)),
        ("float8e4m3fn", np.array([0x38], np.uint8), np.array([1.0], ml_dtypes.float8_e4m3fn)),
        ("int4", np.array([0x0F, 7], np.uint8), np.array([-1, 7], ml_dtypes.int4)),
        ("uint4", np.array([15], np.uint8), np.array([15], ml_dtypes.uint4)),
    ],
)
@pytest.mark.parametrize("compressed", [False, True])
def test_every_type_comes_back(tmp_path: Path, kind: str, stored: Any, expected: Any, compressed: bool) -> None:
    found = read(tmp_path, packed(call(kind), compressed, x=stored))
    assert found.diagnostics == ()
    inputs = found.vectors[0].inputs
    assert isinstance(inputs, Mapping)
    (value,) = inputs["X"]
    assert isinstance(value, np.ndarray)
    assert value.dtype == expected.dtype
    assert value.shape == expected.shape
    assert value.tolist() == expected.tolist()


def test_sequences_variadic_and_absent_values(tmp_path: Path) -> None:
    calls = [
        {
            "name": "many",
            "attributes": {"axes": [0, 1]},
            "inputs": {"a": None, "xs": {"variadic": [{"array": "x", "type": "float"}] * 2}},
            "outputs": {"Y": {"sequence": ["x", "x"], "type": "float"}},
            "versions": [2],
        }
    ]
    (vector,) = read(tmp_path, packed(calls, x=np.zeros(1, np.float32))).vectors
    assert isinstance(vector.inputs, Mapping)
    assert isinstance(vector.outputs, Mapping)
    assert vector.inputs["a"] == (None,)
    assert len(vector.inputs["xs"]) == 2
    assert isinstance(vector.outputs["Y"][0], Items)
    assert (vector.attributes["axes"], vector.versions) == ((0, 1), (2,))


class Trap:
    def __reduce__(self) -> Any:
        return (pytest.fail, ("something was unpickled",))


def members(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as made:
        for name, data in files.items():
            made.writestr(f"{name}.npy", data)
    return stream.getvalue()


def pickled() -> bytes:
    stream = io.BytesIO()
    np.savez(stream, calls=np.array(json.dumps({"schema": 1, "calls": []})), x=np.array([Trap()], object))
    return stream.getvalue()


ONE = np.zeros(1, np.float32)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no sound zip archive"),
        (pickled(), "objects are not unpickled"),
        (packed(call("float"), x=ONE)[:-30], "no sound zip archive"),
        (packed(call("float"), True, x=np.zeros(1 << 22, np.float32)), "compressed by more than"),
        (packed("{", x=ONE), "no JSON"),
        (packed("[" * 100_000, x=ONE), "no JSON"),
        (packed("[]", x=ONE), "is not of the form"),
        (packed([3], x=ONE), "it is no object"),
        (packed(call("floot"), x=ONE), "no element type floot"),
        (packed(call("double"), x=ONE), "holds float32, not double"),
        (packed(call("bfloat16"), x=ONE), "raw bytes of bfloat16 are uint16"),
        (packed(call("int4"), x=np.array([16], np.uint8)), "beyond the 4 bits"),
        (packed(call("float")), "no array x"),
        (packed(call("float", outputs={}), x=ONE), "no `outputs`"),
        (packed(call("float", tolerance=1), x=ONE), "`tolerance` is not known"),
        (packed(call("float", truth="outputs"), x=ONE), "`truth` goes with `call` alone"),
        (packed(call("float", random=True), x=ONE), "`random` goes with `call` alone"),
        (packed(call("float", call={"args": []}), x=ONE), "`inputs` does not go with `call`"),
        (packed(call("float") * 2, x=ONE), "two calls"),
        (members(x=b"not numpy"), "magic string"),
        (members(**{f"a{number}": b"" for number in range(numpy_archive.MOST_MEMBERS + 1)}), "members; at most"),
    ],
)
def test_what_is_no_such_archive_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    found = read(tmp_path, data)
    assert found.vectors == ()
    (finding,) = found.diagnostics
    assert finding.code == "OW152"
    assert reason in finding.reason


def test_calls_of_operators_come_back(tmp_path: Path) -> None:
    x = {"array": "x", "type": "float"}
    given = {"args": [[x, None], 2, {"float": "-inf"}], "kwargs": {"dtype": {"dtype": "int64"}, "mode": "floor"}}
    results = [x, None, True, 3, {"float": "0.1"}, {"list": [x, x]}, {"type": "int64", "shape": [2, 0]}]
    file = read(tmp_path, packed([{"name": "one", "call": given, "outputs": results}], x=np.float32([1.5])))
    assert not file.diagnostics
    (vector,) = file.vectors
    assert vector.call is not None
    (first, nothing), *numbers = vector.call.args
    assert np.array_equal(first, np.float32([1.5])) and nothing is None and numbers == [2, -np.inf]
    assert vector.call.kwargs["dtype"].name == "int64" and vector.call.kwargs["mode"] == "floor"
    forms = [(item.dtype.name, item.shape) for item in vector.outputs if isinstance(item, np.ndarray)]
    plain = ("float32", (1,))
    numbers_ = [("bool", ()), ("int64", ()), ("float64", ())]
    assert forms == [plain, *numbers_, plain, plain, ("int64", (2, 0))]
    assert len(vector.outputs) == len(forms) + 1


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("x", "x is no result of a call"),
        ({}, "there is no element type None"),
        ({"type": "float"}, "the archive has no array None"),
        ({"float": "one"}, "could not convert"),
        ({"type": "float", "shape": [-1]}, "no list of sizes"),
        ({"list": [1.5]}, "1.5 is no result of a call"),
    ],
)
def test_what_is_no_result_of_a_call_is_refused(tmp_path: Path, result: Any, reason: str) -> None:
    file = read(tmp_path, packed([{"name": "one", "call": {"args": []}, "outputs": [result]}]))
    (finding,) = file.diagnostics
    assert finding.code == "OW152"
    assert reason in finding.reason


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"truth": "output"}, '`truth` is neither a list nor "outputs"'),
        ({"reason": 1}, "`reason` is no text"),
        ({"random": "yes"}, "`random` is neither true nor false"),
        ({"attributes": {}}, "the key `attributes` does not go with `call`"),
        ({"outputs": [{"array": "x", "type": "float", "scale": 2}]}, "the key `scale` of a value is not known"),
        ({"outputs": [{"shape": [1], "type": "float", "seed": 2}]}, "the key `seed` of a value is not known"),
        ({"call": {"args": [{"array": "x", "type": "float", "rank": 1}]}}, "the key `rank` of a value is not known"),
    ],
)
def test_what_would_be_ignored_of_a_call_is_refused(tmp_path: Path, more: dict[str, Any], reason: str) -> None:
    given = {"name": "one", "call": {"args": []}, "outputs": [{"array": "x", "type": "float"}]} | more
    (finding,) = read(tmp_path, packed([given], x=ONE)).diagnostics
    assert finding.code == "OW152"
    assert reason in finding.reason


def test_a_shape_that_lies_is_refused_before_memory_is_taken(tmp_path: Path) -> None:
    stream = io.BytesIO()
    header = {"descr": "<f4", "fortran_order": False, "shape": (1 << 40, 1 << 10)}
    np.lib.format.write_array_header_1_0(stream, header)
    text = io.BytesIO()
    np.save(text, np.array(json.dumps({"schema": 1, "calls": call("float")})))
    found = read(tmp_path, members(calls=text.getvalue(), x=stream.getvalue()))
    assert "not have as many bytes" in found.diagnostics[0].reason


def directory(tmp_path: Path, node: onnx.NodeProto, inputs: int = 1, sets: int = 1) -> Path:
    folder = tmp_path / "f" / "case"
    values = [helper.make_tensor_value_info(f"i{number}", TensorProto.FLOAT, [1]) for number in range(inputs)]
    output = helper.make_tensor_value_info("o", TensorProto.FLOAT, [1])
    graph = helper.make_graph([node], "g", values, [output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("com.acme", 2)])
    for number in range(sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(parents=True)
        for position in range(inputs):
            tensor = numpy_helper.from_array(np.array([position + number], np.float32))
            (data / f"input_{position}.pb").write_bytes(tensor.SerializeToString())
        (data / "output_0.pb").write_bytes(numpy_helper.from_array(ONE).SerializeToString())
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder


def read_directory(tmp_path: Path) -> StoredFile:
    return read_backend(LibraryFiles(tmp_path), "f", VectorSource(VectorKind.BACKEND, PLACE, path="case/"))


def test_a_directory_is_a_vector_for_each_data_set(tmp_path: Path) -> None:
    directory(tmp_path, helper.make_node("F", ["i0", "", "i1"], ["o"], domain="com.acme", alpha=2.0), inputs=2, sets=2)
    found = read_directory(tmp_path)
    assert found.diagnostics == ()
    first, second = found.vectors
    assert {first.operator, second.operator} == {"F"}
    assert [first.name, second.name] == ["case/test_data_set_0", "case/test_data_set_1"]
    assert (first.attributes, first.version) == ({"alpha": 2.0}, 2)
    assert isinstance(second.inputs, tuple)
    numbers = [float(value[0]) if isinstance(value, np.ndarray) else None for value in second.inputs]
    assert numbers == [1.0, None, 2.0]
    assert found.files["f/case/test_data_set_2/input_0.pb"] is None, "one that is added is noticed"


@pytest.mark.parametrize(
    ("file", "data", "reason"),
    [
        ("model.onnx", b"\xff", "no protobuf message"),
        ("model.onnx", b"", "0 nodes"),
        ("test_data_set_0/input_0.pb", b"\xff", "no protobuf message"),
        ("test_data_set_0/input_0.pb", TensorProto(data_type=1, dims=[1 << 40]).SerializeToString(), "makes no sense"),
        ("test_data_set_0/input_0.pb", TensorProto(data_type=99).SerializeToString(), "type or a shape"),
        (
            "test_data_set_0/input_0.pb",
            TensorProto(data_type=1, data_location=1).SerializeToString(),
            "file of its own",
        ),
        ("test_data_set_0/output_0.pb", None, "every output"),
        ("test_data_set_0/output_1.pb", b"", "is of no output of the graph"),
        ("test_data_set_0/input_1.pb", b"", "is of no input of the graph"),
        ("test_data_set_2/input_0.pb", b"", "it has test_data_set_2, and no test_data_set_1"),
    ],
)
def test_what_is_no_such_directory_is_refused(tmp_path: Path, file: str, data: bytes | None, reason: str) -> None:
    folder = directory(tmp_path, helper.make_node("F", ["i0"], ["o"], domain="com.acme"))
    if data is None:
        (folder / file).unlink()
    else:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_bytes(data)
    (finding,) = read_directory(tmp_path).diagnostics
    assert finding.code == "OW153"
    assert reason in finding.reason
