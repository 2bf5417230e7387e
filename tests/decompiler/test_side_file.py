"""The arrays beside a decompiled module: named after it, its own, written whole, and checked when they are read."""

from __future__ import annotations

import hashlib
import json
import runpy
import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto, helper, numpy_helper
from opwright import DiagnosticError, decompile, load_arrays
from opwright.commands import main
from opwright.decompiler.modules import Decompiled
from opwright.decompiler.side_file import digests_of, write_arrays


def model(number: float, names: tuple[str, ...] = ("w",)) -> ModelProto:
    """A model that adds arrays of that number to its input."""
    nodes, value = [], "x"
    for index, name in enumerate(names):
        nodes.append(helper.make_node("Add", [value, name], [f"y{index}"]))
        value = f"y{index}"
    tensors = [numpy_helper.from_array(np.full(40, number, np.float32), name) for name in names]
    x, y = (helper.make_tensor_value_info(name, 1, [40]) for name in ("x", value))
    graph = helper.make_graph(nodes, "g", [x], [y], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def weights(path: Path) -> list[float]:
    made = runpy.run_path(str(path))["model"]()
    return [float(numpy_helper.to_array(item)[0]) for item in made.graph.initializer]


def code_of(error: pytest.ExceptionInfo[DiagnosticError]) -> str:
    return error.value.diagnostics[0].code


def test_two_modules_in_a_folder_keep_their_weights(tmp_path: Path) -> None:
    written = [decompile(model(number)).write(tmp_path / f"m{number}.py") for number in (1, 2, 3)]
    assert [[path.name for path in paths] for paths in written] == [[f"m{n}.py", f"m{n}.npz"] for n in (1, 2, 3)]
    assert [weights(tmp_path / f"m{number}.py") for number in (1, 2, 3)] == [[1], [2], [3]]


def test_a_path_may_be_a_text(tmp_path: Path) -> None:
    written = decompile(model(1)).write(str(tmp_path / "m1.py"))
    assert written == [tmp_path / "m1.py", tmp_path / "m1.npz"]
    assert weights(tmp_path / "m1.py") == [1]


def test_the_file_of_another_module_is_found_when_the_module_is_imported(tmp_path: Path) -> None:
    for number in (1, 2):
        decompile(model(number)).write(tmp_path / f"m{number}.py")
    (tmp_path / "m2.npz").replace(tmp_path / "m1.npz")
    for module in ("m1.py", "m2.py"):  # which has another file, and which has none
        with pytest.raises(DiagnosticError) as error:
            runpy.run_path(str(tmp_path / module))
        assert code_of(error) == "OW591"


def test_a_module_keeps_its_file_where_both_move(tmp_path: Path) -> None:
    decompile(model(4)).write(tmp_path / "m.py")
    (tmp_path / "there").mkdir()
    for name in ("m.py", "m.npz"):
        (tmp_path / name).replace(tmp_path / "there" / name)
    assert weights(tmp_path / "there" / "m.py") == [4]


def test_arrays_that_have_changed_are_refused(tmp_path: Path) -> None:
    arrays = {"a": np.arange(3.0), "b": np.arange(4)}
    digests = digests_of(arrays)
    digest = hashlib.sha256(digests).hexdigest()
    path = tmp_path / "a.npz"
    with path.open("wb") as stream:
        write_arrays(stream, arrays, digests, "a.py")
    found = load_arrays(path, digest)
    assert sorted(found) == ["a", "b"]
    assert found["b"].tolist() == [0, 1, 2, 3]
    with path.open("wb") as stream:
        write_arrays(stream, arrays | {"a": np.array([0.0, 1.0, 2.5])}, digests, "a.py")
    changed = load_arrays(path, digest)
    assert changed["b"].tolist() == [0, 1, 2, 3]
    with pytest.raises(DiagnosticError) as error:
        changed["a"]
    assert code_of(error) == "OW591"
    with pytest.raises(KeyError):
        changed["c"]


def test_any_bytes_are_refused(tmp_path: Path) -> None:
    decompile(model(1)).write(tmp_path / "m.py")
    path = tmp_path / "m.npz"
    whole = path.read_bytes()
    rng = np.random.default_rng(7)
    refused = 0
    for _ in range(150):
        data = bytearray(whole)
        if rng.random() < 0.3:
            del data[int(rng.integers(len(data))) :]
        else:
            data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        try:
            found = weights(tmp_path / "m.py")
        except DiagnosticError as error:
            refused += error.diagnostics[0].code == "OW591"
        else:
            refused += 0 if found == [1] else 1000  # what may change says nothing of the arrays
    assert 75 < refused <= 150


def test_writing_again_replaces_what_was_written(tmp_path: Path) -> None:
    for number in (1, 2):
        decompile(model(number)).write(tmp_path / "m.py")
        assert weights(tmp_path / "m.py") == [number]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.npz", "m.py"]


def test_nothing_else_is_replaced(tmp_path: Path) -> None:
    own = tmp_path / "own.npz"
    np.savez(own, mine=np.arange(3))
    (tmp_path / "hand.py").write_text("print('mine')\n")
    decompile(model(1), side_file="shared.npz").write(tmp_path / "a.py")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    made = decompile(model(2))
    for module, text in (
        ("own.py", made),
        ("hand.py", made),
        ("b.py", decompile(model(2), side_file="shared.npz")),
        ("a.txt", decompile(model(2), side_file="shared.npz")),
        ("new.npz", made),
    ):
        with pytest.raises(DiagnosticError) as error:
            text.write(tmp_path / module)
        assert code_of(error) == "OW592", module
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert weights(tmp_path / "a.py") == [1]


def test_an_empty_file_and_a_link_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "m.py").touch()
    (tmp_path / "link.py").symlink_to("m.py")
    decompile(model(1)).write(tmp_path / "link.py")
    assert (tmp_path / "link.py").is_symlink()
    assert weights(tmp_path / "link.py") == [1]


def test_a_write_that_fails_leaves_all_as_it_was(tmp_path: Path) -> None:
    made = decompile(model(1))
    made.write(tmp_path / "m.py")
    before = (tmp_path / "m.npz").read_bytes()
    broken = Decompiled(made.text, {"w": np.array([{}], object)}, "", made.digests)
    with pytest.raises(ValueError, match="pickle"):
        broken.write(tmp_path / "m.py")
    assert (tmp_path / "m.npz").read_bytes() == before
    assert weights(tmp_path / "m.py") == [1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.npz", "m.py"]


def test_a_text_goes_to_a_device(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.onnx"
    made = model(1)
    made.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.float32(2), "w"))
    onnx.save(made, path)
    assert main(["decompile", str(path), "-o", "/dev/null"]) == 0
    assert Path("/dev/null").is_char_device()
    assert "wrote /dev/null" in capfd.readouterr().out


@pytest.mark.parametrize("names", [("file", "allow_pickle"), ("digests.json", "digests_json", "w" * 300, "w" * 301)])
def test_awkward_names(names: tuple[str, ...], tmp_path: Path) -> None:
    decompile(model(3, names)).write(tmp_path / "m.py")
    assert weights(tmp_path / "m.py") == [3] * len(names)


def test_the_file_is_one_of_numpy(tmp_path: Path) -> None:
    made = decompile(model(5))
    made.write(tmp_path / "m.py")
    with np.load(tmp_path / "m.npz") as found:
        assert found["w"].tolist() == [5.0] * 40
    with zipfile.ZipFile(tmp_path / "m.npz") as archive:
        assert json.loads(archive.read("digests.json")).keys() == made.arrays.keys()
        assert archive.comment == b"opwright decompile: m.py"
