"""`opwright.spox` with spox itself: `nox -s tools`."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import spox
import spox.opset.ai.onnx.v17 as spox17
import spox.opset.ai.onnx.v18 as spox18
from opwright import FLOAT, DiagnosticError, GraphBuilder, attach, find_bundle, opset18, proto_function, script
from opwright.spox import call, link, typed_module

from tests.foreign.page_blocks import check_page
from tests.foreign.scripts import Bounded, Joined, Swish, acme

X = np.linspace(-2, 3, 6, dtype=np.float32).reshape(2, 3)


def argument(*shape: Any) -> spox.Var:
    return spox.argument(spox.Tensor(np.float32, shape or ("N", 3)))


def run(model: onnx.ModelProto) -> Any:
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0]


def test_calls_are_nodes_with_types_and_link_gives_them_their_functions() -> None:
    x = argument()
    y = call(Swish, x, alpha=2.0)
    assert y.type == spox.Tensor(np.float32, (None, 3))
    first, most = call(Bounded, y, None, factor=2.0)
    second, _ = call(Bounded, first, most, factor=3.0, steps=2)
    model = spox.build({"x": x}, {"y": spox18.reshape(second, spox18.const([6]))})
    assert [node.op_type for node in model.graph.node][:3] == ["Swish", "Bounded", "Bounded"]
    linked = link(model, [Swish, Bounded])
    assert {item.name.partition("__")[0] for item in linked.functions} == {"Swish", "Bounded"}
    first, most = Bounded(Swish(X, alpha=2.0), factor=2.0)
    np.testing.assert_allclose(run(linked), Bounded(first, most, factor=3.0, steps=2)[0].ravel(), rtol=1e-5)


@pytest.mark.parametrize("alpha", [np.float32(2), np.float64(2), np.int64(2), 2])
def test_numbers_of_numpy_are_attributes(alpha: Any) -> None:
    x = argument()
    linked = link(spox.build({"x": x}, {"y": call(Swish, x, alpha=alpha)}), [Swish])
    np.testing.assert_allclose(run(linked), Swish(X, alpha=2.0), rtol=1e-6)


def test_a_function_needs_its_own_opset_where_no_older_one_has_it() -> None:
    """The axes of ReduceMax are an input since opset 18."""

    @script(acme, default_opset=opset18)
    def Top(x: Any, axes: Any) -> Any:
        return opset18.ReduceMax(x, axes)

    x = argument()
    top = spox18.reshape(call(Top, x, spox18.const([1])), spox18.const([-1]))
    alone = spox17.reshape(call(Top, x, spox17.const([1])), spox17.const([-1]))
    for y in (top, alone):
        model = spox.build({"x": x}, {"y": y})
        assert {item.domain: item.version for item in model.opset_import}[""] == 18
        np.testing.assert_array_equal(run(link(model, [Top])), X.max(1))


def test_inputs_of_any_number() -> None:
    x = argument()
    linked = link(spox.build({"x": x}, {"y": call(Joined, x, x, x, axis=1)}), [Joined])
    np.testing.assert_allclose(run(linked), np.concatenate([X] * 3, 1))


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (lambda x: call(Swish, x, x), "OW324"),
        (lambda x: call(Swish, x, alpha="two"), "OW20"),
        (lambda x: call(Bounded, x), "OW206"),
        (lambda x: call(Swish, 1.0), "OW681"),
        (lambda x: call(Swish, X), "OW681"),
        (lambda x: call(proto_function(Swish.to_function_proto()), x), "OW683"),
    ],
)
def test_a_wrong_call_is_told_at_the_callers_line(wrong: Any, code: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        wrong(argument())
    (found,) = caught.value.diagnostics
    assert found.code.startswith(code)
    assert found.place is not None
    assert found.place.file.endswith("spox_graphs.py")
    assert "\n" not in found.message  # as the text of an array has


def test_a_module_of_typed_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "acme_spox.py").write_text(typed_module([Swish, Bounded, Joined]), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    made: Any = importlib.import_module("acme_spox")
    assert made.__all__ == ["Bounded", "Joined", "Swish"]
    assert made.Swish.__doc__ == Swish.__doc__
    x = argument()
    gate = made.Swish(x, alpha=2.0)
    _, most = made.Bounded(made.Joined(gate, gate), factor=2.0)
    linked = link(spox.build({"x": x}, {"y": most}), [Swish, Bounded, Joined])
    np.testing.assert_allclose(run(linked), 2 * Swish(X, alpha=2.0).max(), rtol=1e-5)
    del sys.modules["acme_spox"]


def test_a_function_inside_of_another_has_no_name_to_import() -> None:
    @script(acme, default_opset=opset18)
    def Inner(x: Any) -> Any:
        return x

    with pytest.raises(ValueError, match="define it at the top of a module"):
        typed_module([Inner])


def test_functions_of_an_installed_library(standard_file: Path) -> None:
    from opwright_std import opset18 as std

    x = argument()
    model = spox.build({"x": x}, {"y": call(std.HardSwish, x)})
    linked = link(model, [find_bundle(standard_file)])
    np.testing.assert_allclose(run(linked), X * np.clip(X / 6 + 0.5, 0, 1), rtol=1e-6)


@pytest.mark.usefixtures("standard_package")
def test_the_model_imports_an_opset_that_the_librarys_function_has_a_body_for() -> None:
    from opwright_std import opset18 as std

    x = argument()
    model = spox.build({"x": x}, {"y": call(std.ReduceLogSumExp, x)})
    assert {item.version for item in model.opset_import if not item.domain} == {18}  # and not 14
    np.testing.assert_allclose(run(link(model, [std.ReduceLogSumExp])), [[np.log(np.exp(X).sum())]], rtol=1e-5)


def test_spox_inlines_models_without_functions_alone() -> None:
    builder = GraphBuilder(18)
    builder.output("y", Swish(builder.input("x", FLOAT["N", 3])))
    model = builder.to_model_proto()
    with pytest.raises(ValueError, match="functions is not supported"):
        spox.inline(model)
    flat = attach(model, [], inline=True)
    x = argument()
    (y,) = spox.inline(flat)(x).values()
    np.testing.assert_allclose(run(spox.build({"x": x}, {"y": y})), Swish(X), rtol=1e-6)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_page("spox.md")
