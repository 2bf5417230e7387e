"""Libraries whose functions live functions call."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from onnxruntime import InferenceSession
from opwright import FLOAT, GraphBuilder, Tensor, packaged, script
from opwright import opset18 as op
from opwright.diagnostics import DiagnosticError
from opwright.live import libraries
from opwright.packaged import LibraryOpset
from opwright_std import opset22

from tests.link.conftest import make_acme

pytestmark = pytest.mark.usefixtures("standard_package")
other = LibraryOpset("another", "another", "ai.onnx", 22, ("Softplus",), None)


@script()
def of_the_first(x: FLOAT[None]):
    return opset22.Softplus(x)


def test_two_packages_of_one_domain_are_not_taken_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    of_the_first.to_model_proto(opset=18)
    known = next(opset for opset in libraries._OPSETS.values() if opset.version == 22)
    bundle = libraries._bundle_of(known)
    monkeypatch.setattr(libraries, "_bundle_of", lambda opset: bundle)
    with pytest.raises(DiagnosticError, match=r"OW563.*opwright_std and another both have the domain"):
        libraries.opset_object(other)


X = np.array([-2, 0, 3], np.float32)
SWISH = X / (1 + np.exp(-1.5 * X))


@pytest.fixture
def newest(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Version 2 of a library's domain: `Swish` is another function there than the one that `Twice` calls."""
    monkeypatch.setattr(packaged, "_BUNDLES", {"acme_ops": (None, make_acme())})
    monkeypatch.setattr(libraries, "_OPSETS", {})
    for version, names, base in ((1, ("Swish", "Twice"), None), (2, ("Late", "Swish"), "opset1")):
        opset = LibraryOpset("acme_ops", "acme_ops.onnxlib", "com.acme", version, names, base)
        module: Any = ModuleType(f"acme_ops.opset{version}")
        module._OPSET = opset
        monkeypatch.setitem(sys.modules, module.__name__, module)
        for name in opset.list_names():
            setattr(module, name, opset.find(name))
    return module


def judge(model: Any, expected: Any) -> list[str]:
    """The names of the model's functions, after it has given what is expected."""
    np.testing.assert_allclose(InferenceSession(model.SerializeToString()).run(None, {"x": X})[0], expected, rtol=1e-6)
    assert {item.domain: item.version for item in model.opset_import}["com.acme"] == 2
    return [function.name for function in model.functions]


def test_what_a_function_calls_may_be_of_an_older_version_than_the_model_imports(newest: Any) -> None:
    late, swish, twice = newest.Late, newest.Swish, newest.Twice

    @script()
    def alone(x: FLOAT[3]):
        return newest.Twice(x)

    @script()
    def beside_a_newer_one(x: FLOAT[3]):
        return late(twice(x))

    @script()
    def inner(x):
        return twice(x)

    @script()
    def beside_its_own_name(x: FLOAT[3]):
        return inner(x) + swish(x)

    assert judge(alone.to_model_proto(opset=18), 2 * SWISH) == ["Swish__since_1", "Twice"]
    model = beside_a_newer_one.to_model_proto(opset=18)
    assert judge(model, np.exp(2 * SWISH)) == ["Swish__since_1", "Twice", "Late"]
    model = beside_its_own_name.to_model_proto(opset=18)
    assert judge(model, 2 * SWISH - X) == ["Swish", "Swish__since_1", "Twice", "inner"]
    np.testing.assert_allclose(beside_its_own_name(X), 2 * SWISH - X, rtol=1e-6)


@pytest.mark.parametrize("inline", [False, True])
def test_a_graph_may_call_a_function_beside_one_that_calls_its_older_version(newest: Any, inline: bool) -> None:
    b = GraphBuilder(18)
    x = b.input("x", FLOAT[3])
    b.output("y", b.call(newest.Twice, x, inline=inline) + newest.Swish(x))
    assert "Swish__since_1" in judge(b.to_model_proto(), 2 * SWISH - X)
    given = Tensor(X)
    for found, expected in ((True, 2 * SWISH), (False, -X)):
        made = op.If(np.array(found), then_branch=lambda: newest.Twice(given), else_branch=lambda: newest.Swish(given))
        np.testing.assert_allclose(made.numpy(), expected, rtol=1e-6)


def test_two_versions_of_one_function_are_refused(newest: Any) -> None:
    new, old = newest.Swish, sys.modules["acme_ops.opset1"].Swish

    @script()
    def older(x):
        return old(x)

    @script()
    def both(x: FLOAT[3]):
        return older(x) + new(x)

    with pytest.raises(DiagnosticError, match=r"OW357: com.acme::Swish is of version 1, and the model imports 2"):
        both.to_model_proto(opset=18)
