"""Below opset 11 an `If` gives one shape, and runtimes take it from either branch: neither says a size or a rank that
the other may not have. Up to opset 12 they take a first branch of rank 0 for it where nothing is known of the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator
from opwright import FLOAT, INT64, DiagnosticError, OnnxFunction, graph, opset6, opset10, script
from opwright.lang import ir
from opwright.lang.lower.numbers.ranks import Followed, Sources

RunModel = Callable[..., list[Any]]
op = opset10


@script()
def early_return(x: FLOAT["N"]) -> FLOAT["N"]:
    y = x
    for k in (1, 2, 3):
        y = y + k
        if op.ReduceSum(y, keepdims=0) > 5:
            return y
        y = y * 2
    return -y


@script()
def one_or_many(x: FLOAT["N"]) -> FLOAT["M"]:
    if op.ReduceSum(x, keepdims=0) > 5:
        total = op.ReduceSum(x, keepdims=0)
        y = op.Reshape(total, [1])
    else:
        y = x + 1
    return y * 2


@script()
def one_or_two(x: FLOAT[2]) -> FLOAT["M"]:
    if op.ReduceSum(x, keepdims=0) > 5:
        total = op.ReduceSum(x, keepdims=0)
        y = op.Reshape(total, [1])
    else:
        y = x + 1
    return y * 2


@pytest.mark.parametrize("opset", [9, 10, 11])
@pytest.mark.parametrize("function", [early_return, one_or_many, one_or_two], ids=lambda item: str(item.name))
def test_branches_of_other_sizes(run_model: RunModel, function: OnnxFunction, opset: int) -> None:
    model = function.to_model_proto(opset=opset)
    for values in ([1, 1], [-1, -2], [0.5, 0.1], [3, 4], [-1, -2.5]):
        x = np.array(values, np.float32)
        np.testing.assert_allclose(run_model(model, x)[0], function(x), rtol=1e-6)


def test_an_if_of_opset_11_needs_nothing() -> None:

    (node,) = [item for item in one_or_many.to_model_proto(opset=11).graph.node if item.op_type == "If"]
    inside = [item.op_type for attribute in node.attribute for item in attribute.g.node]
    assert "Shape" not in inside


@script()
def scalar_or_many(x: FLOAT[2]) -> tuple[INT64["R"], FLOAT[()]]:
    y = op.ReduceSum(x, keepdims=0)
    if y < 5:
        y = x + 1
    return op.Shape(op.Relu(y)), op.ReduceSum(y, keepdims=0)


@script()
def size_that_inference_finds(x: FLOAT["N"]) -> tuple[INT64["R"], FLOAT[()]]:
    y = x
    if op.ReduceSum(x, keepdims=0) > 5:
        y = op.ReduceSum(x, axes=[0])
    return op.Shape(y), op.ReduceSum(y, keepdims=0)


@script()
def chosen(x: FLOAT[2]) -> tuple[INT64["R"], FLOAT[()]]:
    y = op.ReduceSum(x, keepdims=0) if op.ReduceSum(x, keepdims=0) > 5 else x
    return op.Shape(y), op.ReduceSum(y, keepdims=0)


@script()
def written(x: FLOAT[2]) -> tuple[INT64["R"], FLOAT[()]]:
    @graph()
    def scalar() -> FLOAT[...]:
        return op.ReduceSum(x, keepdims=0)

    @graph()
    def many() -> FLOAT[...]:
        return op.Neg(x)

    y = op.If(op.ReduceSum(x, keepdims=0) > 5, then_branch=scalar, else_branch=many)
    return op.Shape(y), op.ReduceSum(y, keepdims=0)


@script()
def nested_return(x: FLOAT[...]) -> tuple[INT64["R"], FLOAT[()]]:
    if op.ReduceSum(x, keepdims=0) > 0:
        if op.ReduceSum(x, keepdims=0) > 5:
            return op.Shape(x), op.ReduceSum(x, keepdims=0)
        x = x + 1
    return op.Shape(x), op.ReduceSum(x, keepdims=0) - 1


@script()
def scalar_first(x: FLOAT[...]) -> tuple[INT64["R"], FLOAT[()]]:
    y = x + 1
    if op.ReduceSum(x, keepdims=0) > 5:
        y = op.ReduceSum(x, keepdims=0)
    return op.Shape(y), op.ReduceSum(y, keepdims=0)


OF_OTHER_RANKS = [scalar_or_many, size_that_inference_finds, chosen, written, nested_return, scalar_first]
VALUES: Sequence[Any] = ([1, 1], [-1, -2], [0.5, 0.1], [3, 4])


def _check(model: onnx.ModelProto, function: OnnxFunction, values: Sequence[Any]) -> None:
    """Runs a model, of which `onnx.checker` asks for ranks that are not known."""
    runs = [ReferenceEvaluator(model)]
    for level in (ort.GraphOptimizationLevel.ORT_DISABLE_ALL, ort.GraphOptimizationLevel.ORT_ENABLE_ALL):
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        options.log_severity_level = 4
        runs.append(ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]))
    for value in values:
        x = np.array(value, np.float32)
        for run in runs:
            for one, other in zip(run.run(None, {"x": x}), function(x), strict=True):
                np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("opset", [8, 9, 10, 11, 12, 13])
@pytest.mark.parametrize("function", OF_OTHER_RANKS, ids=lambda item: str(item.name))
def test_branches_of_other_ranks(function: OnnxFunction, opset: int) -> None:
    if function is nested_return and opset == 8:
        with pytest.raises(DiagnosticError, match="OW208"):  # there are no constants of bool
            function.to_model_proto(opset=opset)
        return
    _check(function.to_model_proto(opset=opset), function, VALUES)


@pytest.mark.parametrize("opset", [10, 12])
@pytest.mark.parametrize("sizes", [None, ["N"], [2]])
@pytest.mark.parametrize(
    "function", [size_that_inference_finds, nested_return, scalar_first], ids=lambda item: item.name
)
def test_the_model_knows_more_than_the_function(function: OnnxFunction, sizes: list[Any] | None, opset: int) -> None:
    body = function.to_function_proto(opset=opset)
    graph_ = helper.make_graph(
        [helper.make_node(body.name, ["x"], ["s", "y"], domain=body.domain)],
        "g",
        [helper.make_tensor_value_info("x", 1, sizes)],
        [helper.make_tensor_value_info("s", 7, None), helper.make_tensor_value_info("y", 1, None)],
    )
    imports = [helper.make_opsetid("", opset), helper.make_opsetid(body.domain, 1)]
    model = helper.make_model(graph_, functions=[body], opset_imports=imports, ir_version=8)
    _check(model, function, VALUES)


@script()
def one_shape(x: FLOAT[...]) -> tuple[INT64["R"], FLOAT[()]]:
    y = x * 2
    if op.ReduceSum(x, keepdims=0) > 5:
        z = op.Relu(y)
    elif op.ReduceSum(x, keepdims=0) > 2:
        z = -y + 1
    else:
        z = y
    return op.Shape(z), op.ReduceSum(z, keepdims=0)


def _operators(nodes: Any) -> list[str]:
    found = []
    for node in nodes:
        found.append(node.op_type)
        for attribute in node.attribute:
            found += _operators(attribute.g.node)
    return found


@pytest.mark.parametrize("opset", [10, 12])
def test_nothing_is_hidden_of_values_that_have_one_shape(opset: int) -> None:
    model = one_shape.to_model_proto(opset=opset)
    assert not {"Tile", "Reshape"} & {*_operators(model.graph.node)}
    _check(model, one_shape, ([3, 4], [1, 2], [-1, 0], [[9]]))


def test_below_opset_7_there_is_no_form() -> None:
    @script()
    def flat_or_not(x: FLOAT[2, 3], y: FLOAT[2, 3]) -> FLOAT["M", "N"]:
        z = x
        if opset6.Greater(opset6.ReduceSum(x, keepdims=0), opset6.ReduceSum(y, keepdims=0)):
            z = opset6.Transpose(x)
        return z

    with pytest.raises(DiagnosticError) as caught:
        flat_or_not.to_model_proto(opset=6)
    (found,) = caught.value.diagnostics
    assert found.code == "OW202"
    assert found.message == "values of different shapes on two paths need opset 7, not 6"
    assert "FLOAT[2, 3]" in found.help


def chain_of(branches: int, folder: Path) -> OnnxFunction[..., Any]:
    """A function of so many `if`s, one after the other, on tensors of unknown shape."""
    lines = [f"    if op.ReduceSum(x, keepdims=0) > {number}:\n        x, y = y, -x" for number in range(branches)]
    header = "from opwright import FLOAT, script\nfrom opwright import opset11 as op\n\n\n@script()\n"
    text = "\n".join([f"{header}def chain(x: FLOAT[...], y: FLOAT[...]):", *lines, "    return x + y", ""])
    file = folder / f"chain_{branches}.py"
    file.write_text(text, encoding="utf-8")
    made: OnnxFunction[..., Any] = run_path(str(file))["chain"]
    return made


def test_branches_are_looked_back_at_in_few_steps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    steps = 0
    followed = Sources._followed

    def counted(self: Sources, value: ir.Value, carried: ir.Value | None) -> Followed:
        nonlocal steps
        steps += 1
        return followed(self, value, carried)

    monkeypatch.setattr(Sources, "_followed", counted)
    counts = []
    for branches in (60, 90, 120):
        steps = 0
        chain_of(branches, tmp_path).to_function_proto()
        counts.append(steps)
    assert 0 < counts[2] - counts[1] <= 1.1 * (counts[1] - counts[0])
