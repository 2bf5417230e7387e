"""Archives of harvested vectors come back as they were written, with the same bytes each time."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tests.opinfo.archive import STORED, Named, Random, Tensor, Value, Vector, file_name, read_vectors, write_vectors
from tests.opinfo.targets import targets


def same(left: Value, right: Value) -> bool:
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        a, b = left.array, right.array
        alike = (a.dtype, a.shape, left.type, left.complex) == (b.dtype, b.shape, right.type, right.complex)
        return alike and a.tobytes() == b.tobytes()
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


def back(tmp_path: Path, *vectors: Vector) -> list[Vector]:
    write_vectors(tmp_path / "x.npz", vectors)
    return read_vectors(tmp_path / "x.npz")


def tensor(kind: str = "float", *shape: int) -> Tensor:
    return Tensor(np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(STORED[kind]), kind)


PI = Tensor(np.float32([3.25, -0.0, np.nan, np.inf]), "float")
VALUES = (
    *(tensor(kind, 2, 3) for kind in STORED),
    tensor("float"),
    tensor("int64", 0, 3),
    PI,
    Tensor(np.zeros((2, 2), np.float32), "float", complex=True),
    *(Named("float", text) for text in ("0.1", "-inf", "nan", "1e-320")),
    Named("dtype", "bfloat16"),
    Named("device", "cpu"),
    Named("layout", "strided"),
    Named("memory_format", "channels_last"),
    *(
        True,
        False,
        0,
        1,
        -(1 << 63),
        None,
        "reflect",
        [],
        [1, True, None],
        [tensor("bool", 2), None],
        [Named("float", "2.0")],
    ),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(getattr(value, "type", value)))
def test_values_come_back(tmp_path: Path, value: Value) -> None:
    (read,) = back(tmp_path, Vector("float-0", [value], {"key": value}, [tensor()], "row: values"))
    assert same(read.args[0], value)
    assert same(read.kwargs["key"], value)


@pytest.mark.parametrize("truth", [None, [], [tensor("double", 2), [tensor("double")]]])
def test_outputs_come_back(tmp_path: Path, truth: list[Value] | None) -> None:
    outputs = [tensor("float", 2), [tensor("float")], None, 3]
    (read,) = back(tmp_path, Vector("float-0", [], {}, outputs, "opinfo: split float sample 3", truth))
    assert same(read.outputs, outputs)
    assert read.provenance == "opinfo: split float sample 3"
    assert read.truth is truth or same(read.truth, truth)


def test_random_outputs_have_types_and_shapes(tmp_path: Path) -> None:
    (read,) = back(
        tmp_path, Vector("none-0", [[2]], {}, [Random("float", (2,)), Random("bool", ())], "row: x", None, True)
    )
    assert read.random
    assert read.outputs == [Random("float", (2,)), Random("bool", ())]


def test_an_array_is_stored_once(tmp_path: Path) -> None:
    again = Tensor(PI.array.copy(), "float")
    back(
        tmp_path, Vector("a", [PI, again], {}, [PI], "row: x"), Vector("b", [again], {}, [tensor("float", 2)], "row: x")
    )
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        assert archive.namelist() == ["calls.npy", "a0.npy", "a1.npy"]


def test_types_with_equal_bytes_stay_apart(tmp_path: Path) -> None:
    bits, whole = Tensor(np.uint16([1, 2]), "bfloat16"), Tensor(np.int16([1, 2]), "int16")
    (read,) = back(tmp_path, Vector("a", [bits, whole], {}, [bits], "row: x"))
    assert same(read.args, [bits, whole])


def test_equal_vectors_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one.npz", "two.npz"):
        write_vectors(tmp_path / name, [Vector("a", [PI], {"b": Named("float", "0.1")}, [PI], "row: x")])
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["one.npz", "two.npz"]


def test_nothing_is_pickled(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"[Oo]bject"):
        back(tmp_path, Vector("a", [Tensor(np.array([{}]), "float")], {}, [], "row: x"))


def test_calls_are_json(tmp_path: Path) -> None:
    back(tmp_path, Vector("float-0", [PI, 2], {"alpha": Named("float", "0.5")}, [PI], "row: x", []))
    with np.load(tmp_path / "x.npz", allow_pickle=False) as archive:
        assert json.loads(archive["calls"].tobytes()) == {
            "schema": 1,
            "calls": [
                {
                    "name": "float-0",
                    "call": {"args": [{"array": "a0", "type": "float"}, 2], "kwargs": {"alpha": {"float": "0.5"}}},
                    "outputs": [{"array": "a0", "type": "float"}],
                    "truth": "outputs",
                    "provenance": "row: x",
                }
            ],
        }


def test_operators_have_files_of_their_own() -> None:
    names = targets()
    assert len({file_name(name).casefold() for name in names}) == len(names)
    assert file_name("aten::add.Tensor") == "aten__add_Tensor.npz"
