"""Protos that are no models: a reason for each, and never a module that Python does not read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from onnx import ModelProto, parser
from opwright import DiagnosticError, decompile

TEXT = """<ir_version: 10, opset_import: ["": 18]> agraph (float[N] x) => (float[N] y) {
    z = Softmax <axis = 0> (x)
    y = Relu (z)
}"""


def _attribute(name: str) -> Callable[[ModelProto], object]:
    return lambda model: setattr(model.graph.node[0].attribute[0], "name", name)


def _operator(name: str) -> Callable[[ModelProto], object]:
    return lambda model: setattr(model.graph.node[1], "op_type", name)


def _opset(version: int) -> Callable[[ModelProto], object]:
    return lambda model: setattr(model.opset_import[0], "version", version)


def _data(data: bytes) -> Callable[[ModelProto], object]:
    return lambda model: model.graph.initializer.add(name="w", data_type=1, dims=[3], raw_data=data)


def without_outputs(model: ModelProto) -> None:
    """A node of somebody's, of which nothing says that it gives something."""
    model.graph.node[0].domain = "com.acme"
    model.graph.node[0].ClearField("output")
    model.opset_import.add(domain="com.acme", version=1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_attribute("two words"), "no name in Python"),
        (_attribute(""), "no name in Python"),
        (_operator("class"), "no name in Python"),
        (_operator(""), "no name in Python"),
        (_opset(0), "knows the opsets"),
        (_opset(-1), "knows the opsets"),
        (_opset(99), "knows the opsets"),
        (lambda model: model.ClearField("opset_import"), "is one of that domain"),
        (lambda model: model.graph.ClearField("output"), "what it returns"),
        (lambda model: setattr(model.graph.input[0], "name", ""), "nothing can refer to it"),
        (without_outputs, "nothing takes what it gives"),
        (_data(b""), "its data are not 3 elements of float"),
        (_data(bytes(8)), "its data are not 3 elements of float"),
        (_data(bytes(13)), "its data are not 3 elements of float"),
        (lambda model: model.graph.node[0].attribute.append(model.graph.node[0].attribute[0]), "have one name"),
    ],
)
def test_what_no_model_has_is_refused(change: Callable[[ModelProto], object], reason: str) -> None:
    model = parser.parse_model(TEXT)
    change(model)
    with pytest.raises(DiagnosticError) as raised:
        decompile(model)
    assert [item.code for item in raised.value.diagnostics] == ["OW590"]
    assert reason in raised.value.diagnostics[0].reason


def test_names_that_are_no_text() -> None:
    model = ModelProto.FromString(parser.parse_model(TEXT).SerializeToString().replace(b"\x01z", b"\x01\xff"))
    with pytest.raises(DiagnosticError, match="UTF-8"):
        decompile(model)


def test_a_result_without_a_name_is_left_out() -> None:
    model = parser.parse_model(TEXT)
    model.graph.node[0].output[0] = ""
    model.graph.node[1].input[0] = "x"
    assert "    _ = op.Softmax(x, axis=0)" in decompile(model).text
