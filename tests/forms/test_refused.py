"""Whatever else is given as a model is a finding that names it and says what is taken."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import onnx
import onnx_ir
import onnxruntime
import pytest
from onnx import helper
from opwright import (
    FLOAT,
    GraphBuilder,
    attach,
    compare,
    convert,
    decompile,
    detach,
    inspect,
    plan_attach,
    plan_upgrade,
    polyfill,
    proto_function,
    script,
    upgrade,
)
from opwright import opset18 as op
from opwright.bundle.format import Bundle
from opwright.diagnostics import Diagnostic

from tests.forms.conftest import TEXT, ONNXProgram
from tests.link.conftest import make_acme, parse, refused
from tests.work import ends

FUNCTIONS: dict[str, Callable[[Any], object]] = {
    "attach": lambda given: attach(given, ()),
    "detach": detach,
    "inspect": inspect,
    "polyfill": lambda given: polyfill(given, opset=18, libraries=()),
    "convert": lambda given: convert(given, opset=18),
    "upgrade": lambda given: upgrade(given, ()),
    "plan_attach": lambda given: plan_attach(given, ()),
    "plan_upgrade": lambda given: plan_upgrade(given, ()),
    "decompile": decompile,
    "compare": lambda given: compare(given, given),
    "proto_function": proto_function,
}


@pytest.fixture(params=FUNCTIONS)
def function(request: pytest.FixtureRequest) -> Callable[[Any], object]:
    return FUNCTIONS[request.param]


def finding(function: Callable[[Any], object], given: object) -> Diagnostic:
    (found,) = refused(lambda: function(given))
    assert found.message and found.reason
    return found


class Raising:
    """Every attribute raises, even those that Python asks for by itself."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(f"no {name} here")


class RaisingPath:
    def __init__(self, result: object) -> None:
        self.result = result

    def __fspath__(self) -> Any:
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


@pytest.mark.parametrize(
    "make",
    [
        *(lambda: None, lambda: 3, lambda: 2.5, object, Raising, lambda: [TEXT], dict),
        *(lambda: onnx.ModelProto, onnx.TensorProto, bytearray, lambda: memoryview(b"")),
    ],
)
def test_what_is_no_model(function: Callable[[Any], object], make: Callable[[], object]) -> None:
    given = make()
    found = finding(function, given)
    assert found.code == "OW578"
    assert type(given).__name__ in found.message
    assert "a ModelProto, a path, bytes, an onnx_ir.Model or a torch.onnx.ONNXProgram" in found.reason
    assert found.help


@pytest.mark.parametrize("result", [3, None, ValueError("no path here"), KeyError("x")], ids=repr)
def test_an_object_that_gives_no_path(function: Callable[[Any], object], result: object) -> None:
    found = finding(function, RaisingPath(result))
    assert (found.code, found.message) == ("OW578", "an object of tests.RaisingPath gives no path")


@pytest.mark.parametrize("name", ["missing.onnx", "", ".", "folder", "nul\0.onnx", "pipe.onnx", "\udcff.onnx"])
def test_paths_of_nothing(function: Callable[[Any], object], name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe.onnx")
    with ends(name):
        for given in (f"{tmp_path}/{name}", tmp_path / name):
            assert finding(function, given).code == "OW550"


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff" * 30, b"<html></html>", TEXT.encode(), parse(TEXT).graph.SerializeToString()],
    ids=["empty", "no message", "html", "text", "graph"],
)
def test_bytes_of_no_model(function: Callable[[Any], object], data: bytes, tmp_path: Path) -> None:
    assert finding(function, data).code == "OW551"
    (tmp_path / "model.onnx").write_bytes(data)
    assert finding(function, tmp_path / "model.onnx").code == "OW551"


@script()
def scripted(x: FLOAT) -> FLOAT:
    return op.Relu(x)


def session() -> onnxruntime.InferenceSession:
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[1] x) => (float[1] y) { y = Neg(x) }'
    return onnxruntime.InferenceSession(parse(text).SerializeToString(), providers=["CPUExecutionProvider"])


FUNCTION = helper.make_function(
    "d", "F", ["x"], ["y"], [helper.make_node("Neg", ["x"], ["y"])], [helper.make_opsetid("", 18)]
)
ADVICE: dict[str, tuple[Callable[[], object], str]] = {
    "FunctionProto": (lambda: FUNCTION, "`functions`"),
    "GraphProto": (lambda: parse(TEXT).graph, "`onnx.helper.make_model(graph)`"),
    "NodeProto": (lambda: FUNCTION.node[0], "`onnx.helper.make_graph`"),
    "Bundle": (make_acme, "`libraries`"),
    "OnnxFunction": (lambda: scripted, "`to_model_proto()`"),
    "GraphBuilder": (lambda: GraphBuilder(op), "`to_model_proto()`"),
    "onnx_ir.Graph": (lambda: onnx_ir.from_proto(parse(TEXT)).graph, "`onnx_ir.Model(graph, ir_version=10)`"),
    "onnx_ir.Function": (lambda: onnx_ir.from_proto(FUNCTION), "onnx_ir.Model"),
    "InferenceSession": (session, "the one that it was made of"),
    "BytesIO": (io.BytesIO, "`file.read()`"),
    "BufferedReader": (lambda: open(__file__, "rb"), "`file.read()`"),  # noqa: SIM115 - it is what is given
    "None": (lambda: None, "that file's path"),
    "list": (lambda: [parse(TEXT)], "one model at a time"),
}


@pytest.mark.parametrize("name", ADVICE)
def test_advice_for_what_is_easily_taken_for_a_model(name: str) -> None:
    make, wanted = ADVICE[name]
    for function in ("attach", "detach", "inspect"):
        found = finding(FUNCTIONS[function], make())
        assert (found.code, wanted in found.help) == ("OW578", True), found


def test_decompile_takes_more() -> None:
    graph = parse('<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Neg(x) }').graph
    for given in (FUNCTION, graph, make_acme()):
        assert decompile(given).text
    assert "or a function, a graph or a library" in finding(decompile, 3).reason


def test_modules_of_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    module = type("Net", (type("Module", (), {"__module__": "torch.nn.modules.module"}),), {})()
    assert "torch.onnx.export(module" in finding(inspect, module).help


@pytest.mark.parametrize("model", [None, 3, ValueError("released")])
def test_a_program_without_a_model(
    function: Callable[[Any], object], model: object, torch_onnx: type[ONNXProgram]
) -> None:
    class Program(torch_onnx):  # type: ignore[misc, valid-type]
        @property
        def model(self) -> Any:
            if isinstance(model, Exception):
                raise model
            return model

        @model.setter
        def model(self, value: object) -> None: ...

    found = finding(function, Program(None, None))
    assert (found.code, "torch.onnx.ONNXProgram" in found.message) == ("OW578", True)


def test_a_program_that_takes_no_other_model(torch_onnx: type[ONNXProgram], acme: Bundle) -> None:
    class Program(torch_onnx):  # type: ignore[misc, valid-type]
        def __init__(self, model: Any) -> None:
            super().__init__(model, None)

    found = finding(lambda given: attach(given, acme), Program(onnx_ir.from_proto(parse(TEXT))))
    assert (found.code, found.reason[:9]) == ("OW579", "TypeError")


def test_models_that_onnx_ir_cannot_convert(function: Callable[[Any], object]) -> None:
    model = onnx_ir.from_proto(parse(TEXT))
    model.graph.initializers["w"].const_value = None
    found = finding(function, model)
    assert (found.code, found.reason) == ("OW579", "ValueError: the initializer 'w' has no value")
    model = onnx_ir.from_proto(parse(TEXT))
    model.graph.node(0).attributes["sparse"] = onnx_ir.Attr("sparse", onnx_ir.AttributeType.SPARSE_TENSOR, 3)
    assert finding(function, model).code == "OW579"


def test_a_result_that_onnx_ir_does_not_take(monkeypatch: pytest.MonkeyPatch, acme: Bundle) -> None:
    model = onnx_ir.from_proto(parse(TEXT))
    monkeypatch.setattr(onnx_ir.serde, "deserialize_model", lambda proto: [][0])
    found = finding(lambda given: attach(given, acme), model)
    assert (found.code, found.message) == ("OW579", "the new model cannot be made one of onnx_ir")


def test_other_modules_of_these_names_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("onnx_ir", "torch.onnx"):
        for stranger in (SimpleNamespace(), SimpleNamespace(Model=3, ONNXProgram="x"), None):
            monkeypatch.setitem(__import__("sys").modules, name, stranger)
            assert finding(inspect, object()).code == "OW578"
