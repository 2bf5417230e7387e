"""A model in every form that is taken, and a stand-in for torch.onnx.ONNXProgram, which is too large for tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import onnx_ir
import pytest
from onnx import ModelProto, numpy_helper
from opwright.bundle.format import Bundle

from tests.link.conftest import make_acme, parse

TEXT = """<ir_version: 8, opset_import: ["": 20, "com.acme": 1]>
g (float[2, 3] x) => (float[2, 3] y) <float[3] w = {1, 2, 3}> { t = com.acme.Twice(x) y = Mul(t, w) }"""
X = np.array([[1.0, -2.0, 0.5], [0.0, 3.0, -1.0]], np.float32)


class ONNXProgram:
    """What torch's own has that is public, and the session that it keeps."""

    def __init__(self, model: Any, exported_program: object) -> None:
        self.model = model
        self.exported_program = exported_program
        self.session: Any = None

    @property
    def model_proto(self) -> ModelProto:
        return onnx_ir.to_proto(self.model)

    def __call__(self, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if self.session is None:
            self.session = session_of(self.model_proto)
        return np.asarray(self.session.run(None, {"x": x})[0])


def session_of(model: ModelProto) -> Any:
    import onnxruntime

    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def proto_of(model: Any) -> ModelProto:
    """A model in any form as a ModelProto."""
    if isinstance(model, ModelProto):
        return model
    if isinstance(model, bytes):
        return onnx.load_from_string(model)
    if isinstance(model, str | Path):
        return onnx.load(model)
    return onnx_ir.to_proto(model if isinstance(model, onnx_ir.Model) else model.model)


def as_onnx_ir_says(model: ModelProto) -> ModelProto:
    """onnx_ir leaves out fields that are empty, and writes down the types of initializers."""
    return onnx_ir.to_proto(onnx_ir.from_proto(model))


@pytest.fixture(scope="session")
def acme() -> Bundle:
    return make_acme()


@pytest.fixture
def torch_onnx(monkeypatch: pytest.MonkeyPatch) -> type[ONNXProgram]:
    monkeypatch.setitem(sys.modules, "torch.onnx", SimpleNamespace(ONNXProgram=ONNXProgram))
    return ONNXProgram


Form = Callable[[ModelProto], Any]


@pytest.fixture(params=["ModelProto", "bytes", "str", "Path", "onnx_ir.Model", "torch.onnx.ONNXProgram"])
def form(request: pytest.FixtureRequest, tmp_path: Path, torch_onnx: type[ONNXProgram]) -> Form:
    """Gives a model that form."""

    def saved(model: ModelProto) -> Path:
        onnx.save(model, tmp_path / "model.onnx")
        return tmp_path / "model.onnx"

    forms: dict[str, Form] = {
        "ModelProto": lambda model: model,
        "bytes": lambda model: model.SerializeToString(deterministic=True),
        "str": lambda model: str(saved(model)),
        "Path": saved,
        "onnx_ir.Model": onnx_ir.from_proto,
        "torch.onnx.ONNXProgram": lambda model: torch_onnx(onnx_ir.from_proto(model), "exported"),
    }
    return forms[request.param]


def with_weights(names: tuple[str, ...] = ("a", "b"), size: int = 600, seed: int = 5) -> ModelProto:
    """A model of com.acme with square weights of more than a megabyte each."""
    given = ", ".join(f"float[{size}, {size}] {name}" for name in names)
    nodes = "".join(f" t{number + 1} = MatMul(t{number}, {name})" for number, name in enumerate(names))
    text = f"""<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g (float[1, {size}] x, {given})
    => (float[1, {size}] y) {{ t0 = com.acme.Swish(x) {nodes} y = Identity(t{len(names)}) }}"""
    model = parse(text)
    del model.graph.input[1:]
    numbers = np.random.default_rng(seed)
    for name in names:
        array = numbers.standard_normal((size, size), np.float32) / size
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return model
