"""Functions of ours that functions of onnxscript call come with them. The package is stood in for here: `nox -s tools`
has the real one (`tests/foreign/onnxscript_calls.py`)."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from onnx import FunctionProto, parser
from opwright import FLOAT, DiagnosticError, proto_function, script

from tests.foreign.scripts import Bounded, Gelu, Swish, Swished

X = np.linspace(-2, 3, 6, dtype=np.float32).reshape(2, 3)


class OnnxFunction:
    """As onnxscript has it: a proto, the functions of its own that it calls, and nodes that know their operators."""

    def __init__(self, text: str, *callees: OnnxFunction, ours: Any = None) -> None:
        self.proto = parser.parse_function(text)
        self.name = self.proto.name
        nodes = [SimpleNamespace(meta={}), SimpleNamespace(meta={"callee": SimpleNamespace(ours=ours)})]
        self.function_ir = SimpleNamespace(
            graph=SimpleNamespace(all_nodes=lambda: iter(nodes)),
            get_called_functions=lambda: {item.name: item for item in callees},
        )

    def to_function_proto(self) -> FunctionProto:
        return self.proto


@pytest.fixture(autouse=True)
def onnxscript(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("onnxscript")
    module.OnnxFunction = OnnxFunction  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "onnxscript", module)


def calling(ours: Any, name: str = "Inner", *callees: OnnxFunction) -> OnnxFunction:
    text = '<domain: "their.domain", opset_import: ["": 18, "com.acme": 1]> %s (x) => (y) { y = com.acme.%s (x) }'
    return OnnxFunction(text % (name, ours.name), *callees, ours=ours)


def test_functions_of_ours_come_with_their_callers() -> None:
    called = proto_function(calling(Swished, "Outer", calling(Swish)))  # type: ignore[arg-type]

    @script()
    def ours(x: FLOAT[2, 3]) -> Any:
        return called(x) * 2

    names = {item.name for item in ours.to_model_proto(opset=18).functions}
    assert names == {"Outer", "Swished", "Swish"}  # what nothing calls is left out
    np.testing.assert_allclose(called(X), Swished(X), rtol=1e-6)
    np.testing.assert_allclose(ours(X), Swished(X) * 2, rtol=1e-6)


def test_one_that_is_given_counts() -> None:
    other = parser.parse_function('<domain: "com.acme", opset_import: ["": 18]> Swish (x) => (y) { y = Neg (x) }')
    assert np.array_equal(proto_function(calling(Swish), [other])(X), -X)  # type: ignore[arg-type]


@pytest.mark.parametrize("ours", [Gelu, Bounded])
def test_one_whose_body_is_chosen_at_each_call_is_refused(ours: Any) -> None:
    with pytest.raises(DiagnosticError, match=rf"(?s)OW386: `Inner` calls com.acme::{ours.name}, .*several variants"):
        proto_function(calling(ours))  # type: ignore[arg-type]


def test_a_function_that_fails_is_named_where_nothing_stands_before_it() -> None:
    lost = parser.parse_function('<domain: "a", opset_import: ["": 18, "b": 1]> F (x) => (y) { y = b.Lost (x) }')
    with pytest.raises(DiagnosticError, match=r"(?s)OW370: `F` fails.*Lost") as found:
        proto_function(lost)(X)
    assert found.value.diagnostics[0].help == ""
