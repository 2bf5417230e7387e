"""`opwright.sklearn` with scikit-learn and skl2onnx: `nox -s tools`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import scipy.sparse
from opwright import DiagnosticError, opset18, script
from opwright.sklearn import link, register
from skl2onnx import to_onnx
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.foreign.page_blocks import check_page
from tests.foreign.scripts import Clipped, acme

op = opset18
X = np.random.default_rng(0).normal(size=(50, 3))


class Clipper(TransformerMixin, BaseEstimator):
    def __init__(self, scale: float = 2.0) -> None:
        self.scale = scale

    def fit(self, X: Any, y: Any = None) -> Any:
        self.low_, self.high_ = np.quantile(X, [0.1, 0.9], axis=0)
        return self

    def transform(self, X: Any) -> Any:
        return np.clip(X, self.low_, self.high_) * self.scale


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_script_converts_a_step_of_a_pipeline(dtype: Any) -> None:
    data = X.astype(dtype)
    pipeline = make_pipeline(StandardScaler(), Clipper(), StandardScaler(), Clipper(scale=0.5)).fit(data)
    register(Clipper, Clipped)

    @script(acme, default_opset=op, name="Clipped")
    def ClippedAny(x: Any, low: Any, high: Any, scale: float = 1.0) -> Any:
        return op.Min(op.Max(x, low), high) * scale

    function = Clipped if dtype is np.float32 else ClippedAny
    register(Clipper, function)
    model = to_onnx(pipeline, data[:1], target_opset=18)
    assert [node.op_type for node in model.graph.node].count("Clipped") == 2
    linked = link(model, [function])
    onnx.checker.check_model(linked)
    assert [item.name for item in linked.functions] == ["Clipped"]
    assert not any(item.key.startswith("opwright.shapes") for node in linked.graph.node for item in node.metadata_props)
    session = onnxruntime.InferenceSession(linked.SerializeToString(), providers=["CPUExecutionProvider"])
    found = session.run(None, {"X": data})[0]
    assert found.dtype == dtype
    np.testing.assert_allclose(found, pipeline.transform(data), rtol=1e-5, atol=1e-5)


def test_what_cannot_be_registered() -> None:
    with pytest.raises(DiagnosticError, match="has no parameter `lo`, for which `floor_` is given") as raised:
        register(Clipper, Clipped, {"lo": "floor_"})
    assert [item.code for item in raised.value.diagnostics] == ["OW681"]
    for value in (lambda x: x, Clipper()):
        with pytest.raises(DiagnosticError, match="is no function that a node can call"):
            register(Clipper, value)
    register(Clipper, Clipped, {"x": "low_"})
    with pytest.raises(DiagnosticError, match="`x` of `Clipped` is given an attribute"):
        to_onnx(Clipper().fit(X.astype(np.float32)), X[:1].astype(np.float32), target_opset=18)


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, np.ma.masked_array, lambda low: object()])
def test_a_fitted_value_that_is_no_array(make: Any) -> None:
    clipper = Clipper().fit(X)
    clipper.low_ = make(clipper.low_.reshape(1, -1))
    register(Clipper, Clipped)
    with pytest.raises(DiagnosticError, match="the value for `low` of `Clipped` is a") as raised:
        to_onnx(clipper, X[:1].astype(np.float32), target_opset=18)
    assert [item.code for item in raised.value.diagnostics] == ["OW681"]


def test_parameters_under_other_names() -> None:
    class Limits(Clipper):
        def fit(self, X: Any, y: Any = None) -> Any:
            super().fit(X)
            self.floor_, self.ceiling_ = self.low_, self.high_
            del self.low_, self.high_
            return self

        def transform(self, X: Any) -> Any:
            return np.clip(X, self.floor_, self.ceiling_) * self.scale

    data = X.astype(np.float32)
    limits = Limits().fit(data)
    register(Limits, Clipped, {"low": "floor_", "high": "ceiling_"})
    linked = link(to_onnx(limits, data[:1], target_opset=18), [Clipped])
    session = onnxruntime.InferenceSession(linked.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"X": data})[0], limits.transform(data), rtol=1e-6)
    register(Limits, Clipped)
    with pytest.raises(DiagnosticError, match="`Clipped` needs `low`, and the Limits has no `low` or `low_`"):
        to_onnx(limits, data[:1], target_opset=18)


@pytest.mark.usefixtures("standard_package")
def test_a_function_of_an_installed_library_converts_a_step() -> None:
    from opwright_std import opset18 as std

    class Hard(TransformerMixin, BaseEstimator):
        def fit(self, X: Any, y: Any = None) -> Any:
            self.fitted_ = True
            return self

        def transform(self, X: Any) -> Any:
            return X * np.clip(X / 6 + 0.5, 0, 1)

    data = X.astype(np.float32)
    register(Hard, std.HardSwish)
    pipeline = make_pipeline(StandardScaler(), Hard()).fit(data)
    with pytest.raises(RuntimeError, match="Opset number 14 is higher than targeted opsets"):
        to_onnx(pipeline, data[:1], target_opset=18)
    model = to_onnx(pipeline, data[:1], target_opset={"": 18, "opwright.ai.onnx": 14})
    linked = link(model, [std.HardSwish])
    assert [item.name.partition("__")[0] for item in linked.functions] == ["HardSwish"]
    session = onnxruntime.InferenceSession(linked.SerializeToString(), providers=["CPUExecutionProvider"])
    np.testing.assert_allclose(session.run(None, {"X": data})[0], pipeline.transform(data), rtol=1e-5, atol=1e-6)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_page("sklearn.md")
