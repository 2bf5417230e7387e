"""Any bytes in a model file give a model or a finding; writing is all or nothing."""

from __future__ import annotations

import os
import random
from contextlib import suppress
from pathlib import Path

import onnx
import pytest
from onnx import OperatorSetProto, TensorProto, helper
from opwright.diagnostics import DiagnosticError
from opwright.graphs.model_file import external_files, read_model, write_model

from tests.link.conftest import parse, refused
from tests.work import ends

TEXT = '<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Neg(x) }'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    onnx.save(parse(TEXT), tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def test_a_model_is_read(path: Path) -> None:
    assert read_model(path) == parse(TEXT)


@pytest.mark.parametrize("name", ["missing.onnx", ".", "missing/model.onnx"])
def test_a_path_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (found,) = refused(lambda: read_model(tmp_path / name))
    assert found.code == "OW550"


def library_model() -> bytes:
    function = helper.make_function(
        "d", "F", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])], [helper.make_opsetid("", 18)]
    )
    model = helper.make_model(helper.make_graph([], "g", [], []), functions=[function])
    return model.SerializeToString()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"\xff" * 40, "no protobuf message"),
        (b"PK\x03\x04 not a model", ""),
        (b"<html></html>", ""),
        (
            OperatorSetProto(magic="ONNXOPSET", ir_version=8, domain="d", opset_version=1).SerializeToString(),
            "OperatorSetProto",
        ),
        (TensorProto(dims=[1], data_type=1, float_data=[1.0]).SerializeToString(), "no graph"),
        (parse(TEXT).graph.SerializeToString(), ""),
        (library_model(), "library of functions"),
        (onnx.ModelProto(ir_version=8).SerializeToString(), "no graph"),
    ],
)
def test_what_is_no_model_is_refused(tmp_path: Path, data: bytes, reason: str) -> None:
    # onnx.load takes several of these without a word.
    path = tmp_path / "model.onnx"
    path.write_bytes(data)
    (found,) = refused(lambda: read_model(path))
    assert found.code == "OW551"
    assert reason in found.reason


def test_functions_alone_are_told_from_what_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(library_model())
    (found,) = refused(lambda: read_model(path))
    assert found.message == "this model has functions and no graph"
    assert "take each of the functions" in found.help


def test_cut_and_spoilt_files_never_end_in_another_exception(path: Path) -> None:
    data = path.read_bytes()
    numbers = random.Random(1)
    for _ in range(500):
        spoilt = bytearray(data[: numbers.randint(0, len(data))])
        for _ in range(numbers.randint(0, 3)):
            if spoilt:
                spoilt[numbers.randrange(len(spoilt))] = numbers.randrange(256)
        path.write_bytes(bytes(spoilt))
        with suppress(DiagnosticError):
            read_model(path)


def test_writing_replaces_the_file_whole(path: Path) -> None:
    model = parse(TEXT.replace("Neg", "Abs"))
    write_model(model, path, path)
    assert read_model(path) == model
    assert os.listdir(path.parent) == ["model.onnx"]


def test_a_folder_that_cannot_be_written_to(path: Path) -> None:
    (found,) = refused(lambda: write_model(parse(TEXT), path.parent / "no" / "model.onnx", path))
    assert found.code == "OW572"
    (path.parent / "folder.onnx").mkdir()
    (found,) = refused(lambda: write_model(parse(TEXT), path.parent / "folder.onnx", path))
    assert found.code == "OW572"
    assert sorted(os.listdir(path.parent)) == ["folder.onnx", "model.onnx"]


def test_a_model_is_not_written_over_its_weights(path: Path) -> None:
    model = parse(TEXT)
    weight = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    weight.external_data.add(key="location", value="weights.bin")
    constant = model.graph.node.add(op_type="Constant", output=["c"])
    constant.attribute.append(helper.make_attribute("value", weight))
    constant.attribute[0].t.external_data[0].value = "constants.bin"
    model.graph.initializer.append(weight)
    assert external_files(model) == ["constants.bin", "weights.bin"]
    path.with_name("weights.bin").write_bytes(bytes(16))
    (found,) = refused(lambda: write_model(model, path.with_name("weights.bin"), path))
    assert found.code == "OW571"
    assert path.with_name("weights.bin").read_bytes() == bytes(16)
    write_model(model, path.parent / "attached.onnx", path)
    assert read_model(path.parent / "attached.onnx") == model


@pytest.mark.parametrize("name", ["/dev/zero", "pipe.onnx"])
def test_what_is_no_regular_file_is_not_read(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe.onnx")
    with ends(name):
        (found,) = refused(lambda: read_model(tmp_path / name))
    assert (found.code, found.reason) == ("OW550", "it is no regular file")
