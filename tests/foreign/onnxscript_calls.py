"""Functions of ours in scripts of onnxscript, and its functions in ours: `nox -s tools`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import onnxscript
import pytest
from onnxscript import opset18 as theirs18
from opwright import FLOAT, DiagnosticError, GraphBuilder, opset18, proto_function, script
from opwright.onnxscript import link, operator

from tests.foreign.page_blocks import check_page
from tests.foreign.scripts import Bounded, Swish

X = np.linspace(-2, 3, 6, dtype=np.float32).reshape(2, 3)
swish, bounded = operator(Swish), operator(Bounded)
domain = onnxscript.values.Opset("their.domain", 1)


@onnxscript.script(default_opset=theirs18)
def theirs(x: onnxscript.FLOAT["N", 3]) -> onnxscript.FLOAT["N", 3]:
    y = swish(x, alpha=2.0)
    a, most = bounded(y, factor=2.0)
    b, least = bounded(a, most, factor=3.0)
    return b * least


@onnxscript.script(domain, default_opset=theirs18)
def Shifted(x, by: float = 1.0):
    return x + by


@onnxscript.script(domain, default_opset=theirs18)
def Gated(x, axis: int = 0):
    return theirs18.Softmax(Shifted(x, by=2.0), axis=axis)


gated = proto_function(Gated)


@script()
def ours(x: FLOAT["N", 3]) -> Any:
    return gated(x, axis=1) * 2


def run(model: onnx.ModelProto) -> Any:
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0]


def expected() -> Any:
    first, most = Bounded(Swish(X, alpha=2.0), factor=2.0)
    second, least = Bounded(first, most, factor=3.0)
    return second * least


def test_our_functions_in_a_script_of_onnxscript() -> None:
    model = theirs.to_model_proto()
    assert [node.op_type for node in model.graph.node] == ["Swish", "Bounded", "Bounded", "Mul"]
    linked = link(model, [Swish, Bounded])
    assert {item.name.partition("__")[0] for item in linked.functions} == {"Swish", "Bounded"}
    np.testing.assert_allclose(run(linked), expected(), rtol=1e-5)


def test_the_same_script_run_by_onnxscript() -> None:
    np.testing.assert_allclose(theirs(X), expected(), rtol=1e-5)
    np.testing.assert_allclose(swish(X, alpha=2.0), Swish(X, alpha=2.0))


def softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def test_functions_of_onnxscript_in_a_script_of_ours() -> None:
    model = ours.to_model_proto(opset=18)
    assert [item.name for item in model.functions] == ["Shifted", "Gated"]
    np.testing.assert_allclose(run(model), softmax(X) * 2, rtol=1e-5)
    np.testing.assert_allclose(ours(X), softmax(X) * 2, rtol=1e-5)
    np.testing.assert_allclose(gated(X, axis=1), softmax(X), rtol=1e-5)


def test_functions_of_onnxscript_in_a_builder() -> None:
    builder = GraphBuilder(18)
    builder.output("y", builder.call(gated, builder.input("x", FLOAT["N", 3]), axis=1))
    np.testing.assert_allclose(run(builder.to_model_proto()), softmax(X), rtol=1e-5)


@onnxscript.script(domain, default_opset=theirs18)
def Swished(x, by: float = 1.0):
    return swish(x, alpha=by) + 1.0


@onnxscript.script(domain, default_opset=theirs18)
def Limited(x):
    return bounded(x, factor=2.0)


def test_functions_of_ours_that_one_of_onnxscript_calls() -> None:
    swished = proto_function(Swished)

    @script()
    def around(x: FLOAT["N", 3]) -> Any:
        return swished(x, by=2.0) * 2

    model = around.to_model_proto(opset=18)
    assert [item.name for item in model.functions] == ["Swish", "Swished"]
    np.testing.assert_allclose(run(model), (Swish(X, alpha=2.0) + 1) * 2, rtol=1e-5)
    with pytest.raises(DiagnosticError, match=r"OW386: `Limited` calls com\.acme::Bounded"):
        proto_function(Limited)


def test_operators_are_of_opset_18_there_too() -> None:
    assert swish.op_schema.since_version == 1
    assert swish.domain == "com.acme"
    assert opset18["Add"].name == "Add"


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_page("onnx-ir.md")
