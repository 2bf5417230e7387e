"""Large graphs and large tensors."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.lib.stride_tricks import as_strided
from opwright import FLOAT, DiagnosticError, GraphBuilder
from opwright import opset22 as op

NODES = 10_000
SIZE = 1 << 26


@pytest.mark.long
def test_a_long_chain() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    for _ in range(NODES // 2):
        x = op.Relu(x) + 1
    b.output("y", x)
    assert len(b.to_model_proto(debug=False).graph.node) == NODES + 1


def test_large_tensors_stay_outside_of_the_proto_and_are_not_copied(tmp_path: Path) -> None:
    weights = np.zeros((SIZE // 4096, 1024), np.float32)
    weights[-1] = 7
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", SIZE // 4096])
    w = b.initializer("w", weights)
    bias = b.initializer("bias", np.ones(1024, np.float32))
    b.output("y", op.MatMul(x, w) + bias)
    tracemalloc.start()
    try:
        b.save(tmp_path / "model.onnx")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < SIZE // 8
    assert (tmp_path / "model.onnx.data").stat().st_size == SIZE
    assert (tmp_path / "model.onnx").stat().st_size < 1 << 16
    onnx.checker.check_model(str(tmp_path / "model.onnx"))
    row = np.zeros((1, SIZE // 4096), np.float32)
    row[0, -1] = 2
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    assert session.run(None, {"x": row})[0].tolist() == [[15.0] * 1024]
    assert b.run(op.MatMul(x, w), x=row)[0, 0] == 14


def test_tensors_that_are_in_files_already(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"\0" * 8 + np.arange(4, dtype=np.float32).tobytes())
    b = GraphBuilder(opset=22)
    w = b.initializer("w", FLOAT[4], location="w.bin", offset=8)
    b.output("y", b.input("x", FLOAT[4]) + w)
    b.save(tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "model.onnx"))
    assert session.run(None, {"x": np.ones(4, np.float32)})[0].tolist() == [1, 2, 3, 4]


def test_several_tensors_of_all_kinds_in_one_file(tmp_path: Path) -> None:
    b = GraphBuilder(opset=22)
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    b.output("a", op.Identity(b.initializer("t", matrix.T)))
    b.output("b", op.Identity(b.initializer("i", np.array([1, -2, 3]))))
    b.output("c", op.Identity(b.initializer("s", np.array(["x", "yz"]))))
    b.save(tmp_path / "m.onnx", external="weights.bin", least=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "weights.bin"]
    found = onnxruntime.InferenceSession(str(tmp_path / "m.onnx")).run(None, {})
    assert [np.asarray(item).tolist() for item in found] == [matrix.T.tolist(), [1, -2, 3], ["x", "yz"]]


@pytest.mark.parametrize(
    ("external", "reason"),
    [
        ("../x.data", "no name of a file next to the model"),
        ("folder/x", "no name of a file next to the model"),
        ("..", "no name of a file next to the model"),
        ("x\0", "embedded null"),
        ("m.onnx", "it is the model itself"),
        ("w.bin", "other tensors of the model stand there"),
        ("taken", "Is a directory"),
    ],
)
def test_tensors_are_not_written_over_other_files(external: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    (tmp_path / "taken").mkdir()
    b = GraphBuilder(opset=22)
    w = b.initializer("w", FLOAT[4], location="w.bin")
    b.output("y", b.input("x", FLOAT[4]) + w + b.initializer("v", np.ones(4, np.float32)))
    with pytest.raises(DiagnosticError, match="OW572") as caught:
        b.save(tmp_path / "m.onnx", external=external, least=1)
    assert reason in caught.value.diagnostics[0].reason
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken", "w.bin"]
    assert (tmp_path / "w.bin").stat().st_size == 16
    b.save(tmp_path / "m.onnx", least=1)
    found = onnxruntime.InferenceSession(str(tmp_path / "m.onnx")).run(None, {"x": np.zeros(4, np.float32)})
    assert found[0].tolist() == [1, 2, 3, 4]


def test_large_operands_become_initializers() -> None:
    table = np.zeros((1024, 512), np.float32)
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT["N", 1024])
    b.output("y", op.MatMul(x, table) + op.ReduceSum(op.MatMul(x, table)))
    assert len(b.to_model_proto().graph.initializer) == 1


def test_arrays_of_a_step_that_is_taken_back_are_not_kept() -> None:
    """One failed, the other body is run again, since its state turns out as a tensor."""
    ones, twos = np.ones((600, 600), np.float32), np.full((600, 600), 2, np.float32)
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[1, 600])
    with pytest.raises(DiagnosticError):
        op.MatMul(x, ones, unknown=1)
    runs: list[int] = []

    def step(i: Any, going: Any, total: Any) -> Any:
        runs.append(1)
        return going, op.MatMul(x, ones) + total

    with b.scope():
        b.output("summed", op.Loop(3, True, 0.0, body=step), FLOAT[1, 600])
    b.output("product", op.MatMul(x, twos))
    assert len(runs) == 2
    model = b.to_model_proto()
    assert len(model.graph.initializer) == 2
    session = onnxruntime.InferenceSession(model.SerializeToString())
    summed, product = session.run(None, {"x": np.ones((1, 600), np.float32)})
    assert summed[0, 0] == 1800
    assert product[0, 0] == 1200


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("size", [4, 1 << 19])
def test_operands_are_what_they_were_at_the_call(size: int, step: int) -> None:
    """One buffer, filled again and again."""
    buffer = np.zeros(step * size, np.float32)
    b = GraphBuilder(opset=22)
    total = b.input("x", FLOAT[size])
    for value in (1, 2, 4):
        buffer[:] = value
        total = total + buffer[::step]
    b.output("y", total)
    assert b.run(total, x=np.zeros(size, np.float32))[:2].tolist() == [7, 7]


def test_small_initializers_are_what_they_were_at_the_call() -> None:
    buffer = np.zeros(4, np.float32)
    b = GraphBuilder(opset=22)
    total = b.input("x", FLOAT[4])
    for value in (1, 2, 4):
        buffer[:] = value
        total = total + b.initializer(f"w{value}", buffer)
    assert b.run(total, x=np.zeros(4, np.float32)).tolist() == [7, 7, 7, 7]


@pytest.mark.parametrize("lay_out", [np.ascontiguousarray, np.asfortranarray, lambda array: array[:, ::2], np.flip])
def test_large_initializers_that_are_changed_are_refused(lay_out: Any, tmp_path: Path) -> None:
    array = np.arange(1 << 20, dtype=np.float32).reshape(512, 2048)
    b = GraphBuilder(opset=22)
    given = lay_out(array)
    total = op.ReduceSum(w := b.initializer("w", given), keepdims=0)
    b.output("y", total)
    assert b.to_model_proto().graph.output[0].name == "y"
    before = given[100, 7]
    given[100, 7] += 1
    for step in (b.to_model_proto, lambda: b.save(tmp_path / "model.onnx"), lambda: b.run(total)):
        with pytest.raises(DiagnosticError, match="OW387: the array of the initializer `w` has been changed") as caught:
            step()
        (related,) = caught.value.diagnostics[0].related
        assert related.place.line == test_large_initializers_that_are_changed_are_refused.__code__.co_firstlineno + 5
    assert not list(tmp_path.iterdir())
    assert b.run(total, {w: given}) == b.run(total, {w: given.copy()}), "an array that is given is the one to run with"
    given[100, 7] = before
    b.save(tmp_path / "model.onnx")
    found = onnxruntime.InferenceSession(str(tmp_path / "model.onnx")).run(None, {})[0]
    np.testing.assert_allclose(found, given.sum(dtype=np.float64), rtol=1e-4)


def test_more_than_protobuf_holds_is_refused() -> None:
    b = GraphBuilder(opset=22)
    huge = as_strided(np.zeros(1, np.float32), (1 << 20, 1 << 10), (0, 0))
    b.output("y", op.ReduceMax(b.initializer("w", huge)))
    with pytest.raises(DiagnosticError, match="OW384"):
        b.to_model_proto()


def test_only_tensors_that_the_model_has_are_written(tmp_path: Path) -> None:
    b = GraphBuilder(opset=22)
    b.initializer("unused", np.zeros(1 << 20, np.float32))
    b.output("y", op.Identity(b.initializer("w", np.ones(3, np.float32))))
    b.save(tmp_path / "m.onnx", least=1)
    assert (tmp_path / "m.onnx.data").stat().st_size == 12
    assert onnxruntime.InferenceSession(str(tmp_path / "m.onnx")).run(None, {})[0].tolist() == [1, 1, 1]


def test_empty_tensors_stay_in_the_model(tmp_path: Path) -> None:
    """A file does not reach to the aligned offset that one behind all others would have."""
    b = GraphBuilder(opset=22)
    for name, array in (("w", np.ones(3, np.float32)), ("e", np.zeros((0, 3), np.float32))):
        b.output(f"{name}_out", op.Identity(b.initializer(name, array)))
    b.save(tmp_path / "m.onnx", least=0)
    found = onnxruntime.InferenceSession(str(tmp_path / "m.onnx")).run(None, {})
    assert [item.shape for item in found] == [(3,), (0, 3)]


@pytest.mark.parametrize("existed", [False, True])
def test_a_model_that_cannot_be_written_leaves_the_file_of_tensors_as_it_was(existed: bool, tmp_path: Path) -> None:
    data = tmp_path / "taken.data"
    if existed:
        data.write_text("mine")
    (tmp_path / "taken").mkdir()
    b = GraphBuilder(opset=22)
    b.output("y", op.Identity(b.initializer("w", np.ones(3, np.float32))))
    with pytest.raises(DiagnosticError, match="OW572"):
        b.save(tmp_path / "taken", least=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["taken", "taken.data"][: 1 + existed]
    assert not existed or data.read_text() == "mine"


@pytest.mark.parametrize("has_links", [True, False])
def test_a_model_is_never_without_its_tensors(has_links: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a reader finds while a file is written is what a process that is killed then leaves."""
    seen: list[float] = []
    replace = Path.replace

    def found() -> float:
        session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
        return float(session.run(None, {})[0][0])

    def new(value: float) -> GraphBuilder:
        b = GraphBuilder(opset=22)
        b.output("y", op.Identity(b.initializer("w", np.full(3, value, np.float32))))
        return b

    def refused(*_: object) -> None:
        raise PermissionError("refused")

    def fails_last(path: Path, target: Path) -> Path:
        if target.name == "m.onnx":
            refused()
        return replace(path, target)

    new(1.0).save(tmp_path / "m.onnx", least=1)
    monkeypatch.setattr("os.fsync", lambda stream: seen.append(found()))
    if not has_links:
        monkeypatch.setattr("os.link", refused)
    new(2.0).save(tmp_path / "m.onnx", least=1)
    assert (seen, found()) == ([1.0, 1.0], 2.0)
    monkeypatch.setattr(Path, "replace", fails_last)
    with pytest.raises(DiagnosticError, match="OW572"):
        new(3.0).save(tmp_path / "m.onnx", least=1)
    assert found() == 2.0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.onnx", "m.onnx.data"]


@pytest.mark.parametrize("location", ["../w.bin", "/w.bin", "folder/../../w.bin", "", "w\0"])
def test_tensors_stand_in_the_folder_of_their_model(location: str) -> None:
    b = GraphBuilder(opset=22)
    with pytest.raises(DiagnosticError, match="OW572"):
        b.initializer("w", FLOAT[4], location=location)
    b.initializer("w", FLOAT[4], location="folder/w.bin")
