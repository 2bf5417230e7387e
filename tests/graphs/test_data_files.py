"""Weights in other files, when a model is written to another folder: nothing is lost, and nothing overwritten."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto
from opwright import decompile
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs import data_files
from opwright.graphs.data_files import ExternalData, Moved, remove_moved, weights_beside
from opwright.graphs.model_file import read_model, write_model

from tests.link.conftest import parse, refused

COPY, MOVE, REFERENCE = ExternalData.COPY, ExternalData.MOVE, ExternalData.REFERENCE
LOCATIONS = ("w.bin", "deep/more.bin")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A model with weights in two files."""
    path = tmp_path / "old" / "model.onnx"
    (path.parent / "deep").mkdir(parents=True)
    model = parse(
        '<ir_version: 10, opset_import: ["": 18]> g (float[8] x) => (float[8] y) { a = Add (x, v) y = Add (a, w) }'
    )
    for location, name in zip(LOCATIONS, "vw", strict=True):
        data = np.arange(8, dtype=np.float32).tobytes()
        (path.parent / location).write_bytes(bytes(4096) + data)
        tensor = model.graph.initializer.add(name=name, data_type=1, dims=[8], data_location=1)
        for key, value in (("location", location), ("offset", "4096"), ("length", str(len(data)))):
            tensor.external_data.add(key=key, value=value)
    path.write_bytes(model.SerializeToString())
    (tmp_path / "new").mkdir()
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(source: Path, path: Path, how: ExternalData) -> list[Moved]:
    model = read_model(source)
    with weights_beside(model, source, path, how) as moved:
        write_model(model, path, source)
    return moved


def finding(source: Path, path: Path, how: ExternalData = COPY) -> Diagnostic:
    """Why a model is not written; no file has changed then."""
    before = files(source.parents[1])
    (found,) = refused(lambda: write(source, path, how))
    assert files(source.parents[1]) == before
    return found


def whole(path: Path) -> ModelProto:
    """With its weights, each of which can be read."""
    onnx.checker.check_model(path)
    return onnx.load(path)


def test_copies_stand_where_the_model_looks_for_them(source: Path) -> None:
    path = source.parents[1] / "new" / "other.onnx"
    assert write(source, path, COPY) == []
    assert {**files(path.parent), "model.onnx": b""} == {
        **files(source.parent),
        "other.onnx": source.read_bytes(),
        "model.onnx": b"",
    }
    assert whole(path) == whole(source)
    assert write(source, path, COPY) == []  # the same once more


def test_what_is_moved_is_removed_when_it_has_been_compared(source: Path) -> None:
    path = source.parents[1] / "new" / "model.onnx"
    expected, before = whole(source), files(source.parent)
    moved = write(source, path, MOVE)
    assert files(source.parent) == before
    (path.parent / "w.bin").write_bytes(before["w.bin"][:-1] + b"?")
    (found,) = refused(lambda: remove_moved(moved))
    assert (found.code, files(source.parent)) == ("OW571", before)
    (path.parent / "w.bin").write_bytes(before["w.bin"])
    remove_moved([*moved, *moved])
    assert [*files(source.parent)] == ["model.onnx"]
    assert whole(path) == expected


def test_names_may_be_links_and_relative(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(source.parents[1])
    os.rename("old/w.bin", "old/real.bin")
    os.symlink("real.bin", "old/w.bin")
    expected = (source.parent / "real.bin").read_bytes()
    remove_moved(write(Path("old/model.onnx"), Path("new/model.onnx"), MOVE))
    assert sorted(files(source.parent)) == ["model.onnx"]
    assert not os.path.lexists("old/w.bin")
    assert whole(Path("new/model.onnx"))
    assert Path("new/w.bin").read_bytes() == expected


def test_references_name_the_files_from_a_folder_around_them(source: Path) -> None:
    path = source.parents[1] / "model.onnx"
    assert write(source, path, REFERENCE) == []
    locations = {item.value for tensor in read_model(path).graph.initializer for item in tensor.external_data[:1]}
    assert locations == {"old/w.bin", "old/deep/more.bin"}
    assert whole(path) == whole(source)
    assert (
        "runtimes read none from outside" in finding(source, source.parents[1] / "new" / "model.onnx", REFERENCE).reason
    )


@pytest.mark.parametrize("how", [COPY, MOVE, REFERENCE])
def test_in_the_same_folder_weights_stay(how: ExternalData, source: Path) -> None:
    before = files(source.parent)
    assert write(source, source.with_name("new.onnx"), how) == []
    assert files(source.parent) == {**before, "new.onnx": source.read_bytes()}


def test_no_other_file_is_overwritten(source: Path) -> None:
    new = source.parents[1] / "new"
    for content in (b"other", bytes(4096) + bytes(32)):  # the second of the same size
        (new / "w.bin").write_bytes(content)
        assert finding(source, new / "model.onnx").reason == "there is another file of that name"
    (new / "w.bin").unlink()
    assert finding(source, new / "w.bin").reason == "its weights would lie there"
    os.mkfifo(new / "w.bin")
    assert finding(source, new / "model.onnx").code == "OW571"


def test_no_place_outside_the_folders_is_read_or_written(source: Path) -> None:
    outside, new = source.parents[1] / "secret.bin", source.parents[1] / "new"
    outside.write_bytes(bytes(5000))
    model = read_model(source)
    for location in ("../secret.bin", str(outside), "link.bin", "deep/../w.bin", "deep", "missing.bin", "", "a\0b"):
        if not (source.parent / "link.bin").is_symlink():
            os.symlink(outside, source.parent / "link.bin")
        model.graph.initializer[0].external_data[0].value = location
        source.write_bytes(model.SerializeToString())
        assert finding(source, new / "model.onnx").code in ("OW550", "OW571")
    (source.parent / "link.bin").unlink()
    model.graph.initializer[0].external_data[0].value = "w.bin"
    source.write_bytes(model.SerializeToString())
    os.symlink(source.parents[1], new / "deep")  # below which a file would be written elsewhere
    assert finding(source, new / "model.onnx").reason.endswith("leads out of its folder")


@pytest.mark.parametrize("how", [COPY, MOVE, REFERENCE])
@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("location", "", "it names no file"),
        ("offset", "4100", "has 4128 bytes, and ends before it does"),
        ("length", "28", "its type and sizes ask for 32 bytes, and 28 are named"),
        ("length", "0", "its type and sizes ask for 32 bytes, and 0 are named"),
    ],
)
def test_a_tensor_that_is_not_whole_in_its_file(
    source: Path, key: str, value: str, reason: str, how: ExternalData
) -> None:
    model = read_model(source)
    for tensor in model.graph.initializer:
        for item in tensor.external_data:
            item.value = value if item.key == key else item.value
    source.write_bytes(model.SerializeToString())
    below = source.parents[1] / "model.onnx"
    found = finding(source, below if how is REFERENCE else source.parents[1] / "new" / "model.onnx", how)
    assert (found.code, found.message) == ("OW550", "cannot read the elements of the tensor 'v'")
    assert reason in found.reason
    assert found.place is not None and found.place.file == source.as_posix() and found.help
    (read,) = refused(lambda: decompile(source))
    assert read == found  # as where the elements are read


def test_what_fails_leaves_no_copies(source: Path) -> None:
    new = source.parents[1] / "new"
    (source.parent / LOCATIONS[0]).unlink()
    assert finding(source, new / "model.onnx").code == "OW550"
    (source.parent / LOCATIONS[0]).write_bytes(bytes(5000))
    (new / "model.onnx").mkdir()
    assert finding(source, new / "model.onnx").code == "OW572"
    assert finding(source, new / "missing" / "model.onnx").code == "OW572"


def test_holes_stay_holes(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 1 << 40
    with (source.parent / "w.bin").open("r+b") as file:
        file.truncate(size)
        file.seek(size - 5)
        file.write(b"end")
    path = source.parents[1] / "new" / "model.onnx"
    moved = write(source, path, MOVE)
    status = (path.parent / "w.bin").stat()
    assert (status.st_size, status.st_blocks * 512 < 1 << 20) == (size, True)
    remove_moved(moved)
    assert not (source.parent / "w.bin").exists()


def test_where_the_system_tells_of_no_holes_all_is_copied(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(data_files.os, "SEEK_DATA")
    path = source.parents[1] / "new" / "model.onnx"
    remove_moved(write(source, path, MOVE))
    assert whole(path).graph.initializer[1].raw_data == np.arange(8, dtype=np.float32).tobytes()


def test_a_file_that_cannot_be_read_is_refused(source: Path) -> None:
    os.unlink(source.parent / "w.bin")
    os.mkfifo(source.parent / "w.bin")
    with pytest.raises(DiagnosticError):
        write(source, source.parents[1] / "new" / "model.onnx", COPY)
