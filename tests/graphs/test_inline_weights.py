"""Weights that stay in the model's file: what is written is what protobuf writes of the whole model."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import opwright
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from opwright.bundle.write import write_bundle
from opwright.commands import main
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs import inline_weights
from opwright.graphs.inline_weights import bring_back, is_left_behind
from opwright.graphs.model_file import model_pieces, read_model, write_model
from opwright.graphs.structure import check_structure
from opwright.link import check

from tests.link.conftest import make_acme, parse


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files and tensors are large sooner."""
    monkeypatch.setattr(inline_weights, "_LEAST", 0)
    monkeypatch.setattr(inline_weights, "HEAVY", 16)
    monkeypatch.setattr(check, "HEAVY", 16)
    monkeypatch.setattr(inline_weights, "_WINDOW", 32)


def weight(name: str, numbers: int = 40, dtype: type = np.float32) -> TensorProto:
    return numpy_helper.from_array(np.arange(numbers).astype(dtype), name)


def with_weights(*tensors: TensorProto) -> ModelProto:
    model = parse('<ir_version: 10, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Neg (x) }')
    model.graph.initializer.extend(tensors)
    model.graph.doc_string = "after the weights"
    return model


def typed(name: str, kind: int, numbers: int = 40) -> TensorProto:
    return helper.make_tensor(name, kind, [numbers], list(range(numbers)))


def said(tensor: TensorProto) -> TensorProto:
    tensor.data_location = TensorProto.DEFAULT
    tensor.doc_string = "as onnx.load leaves it"
    tensor.metadata_props.add(key="a", value="b")
    return tensor


def four_bits(name: str, numbers: int) -> TensorProto:
    return TensorProto(name=name, data_type=TensorProto.INT4, dims=[numbers], raw_data=bytes((numbers + 1) // 2))


LEFT: dict[str, Callable[[], TensorProto]] = {
    "raw": lambda: weight("w"),
    "raw of bytes": lambda: weight("w", dtype=np.uint8),
    "floats": lambda: typed("w", TensorProto.FLOAT),
    "doubles": lambda: typed("w", TensorProto.DOUBLE),
    "said to be here": lambda: said(weight("w")),
    "four bits": lambda: four_bits("w", 99),
}


def other_sizes(tensor: TensorProto) -> TensorProto:
    tensor.dims[0] += 1
    return tensor


def elsewhere(tensor: TensorProto) -> TensorProto:
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="w.bin")
    return tensor


def parsed(tensor: TensorProto, more: bytes) -> TensorProto:
    return TensorProto.FromString(tensor.SerializeToString() + more)


KEPT: dict[str, Callable[[], TensorProto]] = {
    "small": lambda: weight("w", 4),
    "integers": lambda: typed("w", TensorProto.INT64),
    "halves": lambda: typed("w", TensorProto.FLOAT16),
    "complex": lambda: typed("w", TensorProto.COMPLEX64, 20),
    "texts": lambda: TensorProto(name="w", data_type=TensorProto.STRING, dims=[9], string_data=[b"some text"] * 9),
    "other sizes": lambda: other_sizes(weight("w")),
    "both": lambda: parsed(weight("w"), typed("", TensorProto.FLOAT).SerializeToString()),
    "elsewhere": lambda: elsewhere(weight("w")),
    "a part": lambda: parsed(weight("w"), b"\x1a\x02\x08\x01"),
    "a field that nobody knows": lambda: parsed(weight("w"), b"\xfa\x01\x01a"),
    "unknown type": lambda: TensorProto(name="w", data_type=99, dims=[40], raw_data=bytes(40)),
}


def through_file(data: bytes, folder: Path) -> ModelProto:
    """The model that is read, after it was compared with the whole one in both ways of bringing its weights back."""
    path, copy = folder / "model.onnx", folder / "copy.onnx"
    path.write_bytes(data)
    whole, light = read_model(path), read_model(path, leave_weights=True)
    expected = whole.SerializeToString(deterministic=True)
    write_model(light, copy, path)
    assert copy.read_bytes() == expected
    loaded = ModelProto()
    loaded.CopyFrom(light)
    bring_back(loaded, path)
    assert loaded.SerializeToString(deterministic=True) == expected
    return light


def left_behind(light: ModelProto) -> list[str]:
    return [tensor.name for tensor in light.graph.initializer if is_left_behind(tensor)]


@pytest.mark.parametrize("kind", [*LEFT, *KEPT])
def test_bytes_are_those_of_the_whole_model(kind: str, tmp_path: Path) -> None:
    tensor = (LEFT | KEPT)[kind]()
    model = with_weights(weight("first", 100), tensor, weight("small", 2), weight("last", 3, np.float64))
    light = through_file(model.SerializeToString(), tmp_path)
    assert left_behind(light) == ["first", *(["w"] if kind in LEFT else []), "last"]


def test_several_thousand_weights_and_lengths_of_several_bytes(tmp_path: Path) -> None:
    model = with_weights(*(weight(f"w{index}", 5 + index % 300) for index in range(2_000)))
    assert len(left_behind(through_file(model.SerializeToString(), tmp_path))) == 2_000


def test_fields_in_another_order_are_written_in_theirs(tmp_path: Path) -> None:
    tensor = weight("w")
    fields = [TensorProto(raw_data=tensor.raw_data), TensorProto(name="w", dims=[40]), TensorProto(data_type=1)]
    graph = b"".join(field.SerializeToString() for field in fields)
    model = with_weights()
    initializer = b"\x2a" + inline_weights._varint(len(graph)) + graph
    data = model.graph.SerializeToString()
    shell = ModelProto()
    shell.CopyFrom(model)
    shell.ClearField("graph")
    inner = data + initializer
    whole = b"\x3a" + inline_weights._varint(len(inner)) + inner + shell.SerializeToString()
    assert left_behind(through_file(whole, tmp_path)) == ["w"]
    assert left_behind(through_file(whole + b"\x3a\x00", tmp_path)) == []  # two graphs, which protobuf makes one


@pytest.mark.long
def test_changed_bytes_are_read_as_protobuf_reads_them(tmp_path: Path) -> None:
    draw = random.Random(5)
    tensors = [make() for make in (LEFT | KEPT).values()]
    good = with_weights(*tensors).SerializeToString()
    path = tmp_path / "model.onnx"
    compared = 0
    for _ in range(600):
        data = bytearray(good)
        for _ in range(draw.randint(1, 3)):
            begin = draw.randrange(len(data))
            match draw.randrange(4):
                case 0:
                    data[begin] = draw.randrange(256)
                case 1:
                    del data[begin : begin + draw.randint(1, 9)]
                case 2:
                    data[begin:begin] = data[begin : begin + draw.randint(1, 60)]
                case _:
                    data[begin] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        refused = [refusal(path, leave) for leave in (False, True)]
        assert refused[0] == refused[1]
        if not refused[0]:
            compared += bool(left_behind(through_file(bytes(data), tmp_path)))
    assert compared > 100


def refusal(path: Path, leave_weights: bool) -> tuple[Diagnostic, ...]:
    try:
        check_structure(read_model(path, leave_weights=leave_weights))
    except DiagnosticError as error:
        return tuple(error.diagnostics)
    return ()


def test_what_is_in_memory_does_not_grow_with_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    path, copy = tmp_path / "model.onnx", tmp_path / "copy.onnx"
    for count in (2, 6):
        model = with_weights(*(weight(f"w{index}", 1 << 20) for index in range(count)))
        path.write_bytes(model.SerializeToString())
        light = read_model(path, leave_weights=True)
        assert (len(left_behind(light)), light.ByteSize() < 500 * count) == (count, True)
        assert max(map(len, (item for item in model_pieces(light, "") if isinstance(item, bytes)))) < 500
        write_model(light, copy, path)
        assert copy.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("change", ["other bytes", "shorter", "gone"])
def test_a_file_that_changes_meanwhile_is_refused(change: str, tmp_path: Path) -> None:
    path, copy = tmp_path / "model.onnx", tmp_path / "copy.onnx"
    data = with_weights(weight("w", 100)).SerializeToString()
    path.write_bytes(data)
    light = read_model(path, leave_weights=True)
    if change == "gone":
        path.unlink()
    else:
        path.write_bytes(data[:-9] if change == "shorter" else data + b"\x0a\x00")
    with pytest.raises(DiagnosticError) as found:
        write_model(light, copy, path)
    assert found.value.diagnostics[0].code == "OW550"
    assert not copy.exists()


@pytest.mark.parametrize("inline", [False, True])
def test_commands_write_what_they_write_of_the_whole_model(
    inline: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = parse("""<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> g (float[N] x) => (float[N] y) {
        a = com.acme.Swish (x) b = Add (a, w) y = com.acme.Swish (b)
    }""")
    model.graph.initializer.extend([weight("w", 100), said(weight("unread", 60))])
    path, library = tmp_path / "model.onnx", tmp_path / "acme.onnxlib"
    path.write_bytes(model.SerializeToString(deterministic=True))
    acme = make_acme()
    library.write_bytes(write_bundle(acme.index, acme.bodies))
    written: list[list[bytes]] = []
    for least in (1 << 40, 0):
        monkeypatch.setattr(inline_weights, "_LEAST", least)
        assert bool(left_behind(read_model(path, leave_weights=True))) is not bool(least)
        attached = tmp_path / f"attached{least}.onnx"
        command = ["attach", str(path), "--library", str(library), "-o", str(attached)]
        assert main([*command, *(["--inline"] if inline else [])]) == 0
        detached = tmp_path / f"detached{least}.onnx"
        assert main(["detach", str(attached), "-o", str(detached)]) == 0
        given = opwright.attach(path, acme, inline=inline).SerializeToString(deterministic=True)
        back = opwright.detach(attached).SerializeToString(deterministic=True)
        written.append([attached.read_bytes(), detached.read_bytes(), given, back])
    assert written[0] == written[1]
    assert written[0][0] == written[0][2]
    if not inline:
        assert written[0][1] == written[0][3] == path.read_bytes()
