"""The functions of a library become scripts; so does what the command is given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper, parser
from opwright import Bundle, compare, compile_source, decompile, read_bundle
from opwright.commands import main
from opwright.decompiler.modules import newest_of
from opwright.link.exported import functions_at

from tests.diagnostics.examples.link import LIBRARY


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return read_bundle(bytes.fromhex(LIBRARY), "acme.onnxlib")


def test_a_library_becomes_its_functions(bundle: Bundle) -> None:
    protos = functions_at(bundle, newest_of(bundle))
    assert protos
    text = decompile(bundle).text
    made = compile_source(text, "Swish").__wrapped__.__globals__["functions"]()
    assert len(made) == len(protos)
    for one, other in zip(protos, made, strict=True):
        assert (one.domain, one.name, one.overload) == (other.domain, other.name, other.overload)
        assert compare(one, other)


def model() -> onnx.ModelProto:
    text = '<ir_version: 8, opset_import: ["": 18]> agraph (float[40] x) => (float[40] y) { y = Add (x, large) }'
    made = parser.parse_model(text)
    made.graph.initializer.append(numpy_helper.from_array(np.arange(40, dtype=np.float32), "large"))
    return made


def test_the_command_writes_a_module_and_its_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    onnx.save(model(), "model.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    assert main(["decompile", "model.onnx", "-o", "out.py"]) == 0
    assert capsys.readouterr().out == "wrote out.py, out.npz\n"
    assert "large" in np.load("out.npz")
    Path("acme.onnxlib").write_bytes(bytes.fromhex(LIBRARY))
    assert main(["decompile", "acme.onnxlib"]) == 0
    assert "def functions():" in capsys.readouterr().out


def test_the_command_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(model(), path)
    assert main(["decompile", str(path)]) == 1
    assert "OW590" in capsys.readouterr().err
    assert main(["decompile", str(path), "-o", str(tmp_path / "none" / "out.py")]) == 3
    onnx.save(model(), path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    (tmp_path / "weights.bin").unlink()
    assert main(["decompile", str(path), "-o", str(tmp_path / "out.py")]) == 2
    assert main(["decompile", str(tmp_path / "nothing.onnx")]) == 2


def test_a_graph_alone() -> None:
    node = helper.make_node("Neg", ["x"], ["y"])
    values = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["N"]) for name in "xy"]
    text = decompile(helper.make_graph([node], "alone", values[:1], values[1:])).text
    made = compile_source(text, "alone").to_model_proto()
    assert [item.op_type for item in made.graph.node] == ["Neg"]
