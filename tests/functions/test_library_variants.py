"""Functions of libraries that have variants, called from live functions, from protos and in models that are joined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import compose, parser
from opwright import (
    FLOAT,
    INT64,
    GraphBuilder,
    attach,
    compile_source,
    decompile,
    detach,
    inspect,
    proto_function,
    read_bundle,
    script,
)
from opwright.link.inspect import State
from opwright_std import opset13 as std
from opwright_std import opset18 as std18
from opwright_std.opset18 import HardSwish, Softmax

from tests.functions.test_nested_variants import HIGH, LOW, ROW, X, judge, names_of

pytestmark = pytest.mark.usefixtures("standard_package")
SCALARS = {"low": FLOAT[()], "high": FLOAT[()]}


@script()
def clipped(x, low, high):
    return std.Clip(x, low) + std.Clip(x, low, high) * std.Clip(x, None, high)


@script()
def twice_clipped(x: ROW, low: FLOAT[()], high: FLOAT[()]):
    return clipped(x, low, high) - std.Clip(x, low)


@script()
def losses(x, target, weights):
    mean, _ = std.SoftmaxCrossEntropyLoss(x, target, weights)
    return mean, std.NegativeLogLikelihoodLoss(x, target, reduction="sum")


@script()
def both_losses(x: ROW, target: INT64["N"], weights: FLOAT["M"]):
    return losses(x, target, weights)


def test_they_stand_under_one_name_wherever_they_are_called() -> None:
    model = twice_clipped.to_model_proto(opset=18)
    assert names_of(model) == [
        "Clip__min_absent__max_present",
        "Clip__min_present__max_absent",
        "Clip__min_present__max_present",
        "clipped",
    ]
    judge(model, [X, LOW, HIGH], twice_clipped(X, LOW, HIGH))
    again = compile_source(decompile(model).text, model.graph.name).__wrapped__.__globals__["model"]()
    assert names_of(again) == names_of(model)
    judge(again, [X, LOW, HIGH], twice_clipped(X, LOW, HIGH))


def test_a_function_of_a_library_that_calls_variants_of_another() -> None:
    model = both_losses.to_model_proto(opset=18)
    assert any("__weight" in name for name in names_of(model))
    arrays = [X, np.array([0, 2]), np.array([1, 2, 3], np.float32)]
    judge(model, arrays, both_losses(*arrays))


def test_a_model_is_called_beside_what_it_calls() -> None:
    builder = GraphBuilder(18)
    x = builder.input("x", ROW)
    low, high = (builder.input(name, type_) for name, type_ in SCALARS.items())
    builder.output("y", builder.call(proto_function(twice_clipped.to_model_proto(opset=18)), x, low, high))
    builder.output("z", builder.call(std.Clip, x, low))
    model = builder.to_model_proto()
    assert len(set(names_of(model))) == len(model.functions)
    judge(model, [X, LOW, HIGH], (twice_clipped(X, LOW, HIGH), std.Clip(X, LOW)))


def test_models_with_attached_libraries_become_one(standard_file: Path) -> None:
    """Each has its own functions, some of which call others; all are recognised, and all go away again."""
    text = """<ir_version: 10, opset_import: ["": 18, "opwright.ai.onnx": 18, "my": 1]>
    g (float[N, M] x, float low) => (float[A, B] y) {
        t = my.Inner(x, low) s = opwright.ai.onnx.Clip(t, low, low) y = Add(s, t)
    }
    <domain: "my", opset_import: ["": 18, "opwright.ai.onnx": 18]> Inner (a, b) => (c) {
        d = Neg(b) e = opwright.ai.onnx.Clip(a, b) c = opwright.ai.onnx.Clip(e, missing, d)
    }"""
    standard = read_bundle(standard_file.read_bytes(), standard_file.name)
    before = parser.parse_model(text)
    before.functions[0].node[-1].input[1] = ""
    model = attach(before, standard)
    joined = compose.merge_models(
        compose.add_prefix(model, "a_"), compose.add_prefix(model, "b_"), io_map=[("a_y", "b_x")]
    )
    onnx.checker.check_model(joined, full_check=True)
    assert {item.state for item in inspect(joined, standard)} == {State.UNALTERED, State.FOREIGN}

    def once(x: np.ndarray) -> np.ndarray:
        inner = np.minimum(np.maximum(x, LOW), -LOW)
        return np.full_like(inner, LOW) + inner

    judge(joined, [X, LOW, LOW], once(once(X)))
    assert [item.name for item in detach(joined).functions] == ["a_Inner", "b_Inner"]


ALIAS = std18.HardSwish
LISTED = [std18.HardSwish, std18.Softmax]


@script()
def imported(x: ROW):
    return HardSwish(x) + Softmax(x)


@script()
def beside_its_module(x: ROW):
    return ALIAS(x) + std18.Softmax(x)


@script()
def from_a_list(x: ROW):
    total = x * 0
    for function in LISTED:
        total = total + function(x)
    return total


@pytest.mark.parametrize("function", [imported, beside_its_module, from_a_list])
def test_functions_that_are_new_in_several_versions_are_of_the_newest(function: Any) -> None:
    """Where all are the same at the newest of their versions, a model imports that one."""
    assert (std18.HardSwish.since_version, std18.Softmax.since_version) == (14, 13)
    model = function.to_model_proto(opset=18)
    assert names_of(model) == ["HardSwish", "Softmax"]
    judge(model, [X], function(X))


@pytest.mark.parametrize("inline", [False, True])
def test_a_builder_calls_functions_of_several_versions(inline: bool) -> None:
    b = GraphBuilder(18)
    x = b.input("x", ROW)
    b.output("y", b.call(std18.HardSwish, x, inline=inline) + b.call(Softmax, x, inline=inline) + imported(x))
    model = b.to_model_proto()
    judge(model, [X], 2 * imported(X))
