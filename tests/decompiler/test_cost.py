"""The decompiler does for each node what it does for each node of a small model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from onnx import ModelProto, helper
from opwright import decompile

from benchmarks.models import MODELS
from tests.work import calls_of

SEED = 7


def called(seed: int, count: int) -> ModelProto:
    """A model of one call of each of so many functions."""
    made = MODELS["digest"](seed, count)
    made.opset_import.extend([helper.make_opsetid("", 18), helper.make_opsetid("bench", 1)])
    values = [helper.make_tensor_value_info(name, 1, ["N"]) for name in ("a", "b", f"v{count}")]
    made.graph.input.extend(values[:2])
    made.graph.output.extend(values[2:])
    for index, function in enumerate(made.functions):
        inputs = [f"v{index}" if index else "a", "b"]
        made.graph.node.append(helper.make_node(function.name, inputs, [f"v{index + 1}"], domain="bench"))
    return made


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize(
    ("make", "count"),
    [(MODELS["decompile"], 500), (MODELS["layers"], 300), (called, 40)],
    ids=["plain", "layers", "functions"],
)
def test_calls_are_linear_in_the_model(make: Callable[[int, int], ModelProto], count: int, faithful: bool) -> None:
    models = [make(SEED, count * times) for times in (1, 1, 2, 4)]  # the first fills what is memoised
    _, first, second, third = (calls_of(partial(decompile, model, faithful=faithful)) for model in models)
    assert third - second < 2.1 * (second - first)


def test_a_usual_node_is_written_from_its_columns() -> None:
    """Twice as many nodes of one input and one output: eight calls more for each, none of them for the node itself."""
    models = [_chain(count) for count in (100, 100, 200, 1_000)]
    _, first, second, third = (calls_of(partial(decompile, model)) for model in models)
    assert third - second <= 8 * 800
    assert second - first <= 8 * 100


def _chain(count: int) -> ModelProto:
    nodes = [helper.make_node(("Relu", "Exp")[index % 2], [f"v{index}"], [f"v{index + 1}"]) for index in range(count)]
    values = [helper.make_tensor_value_info(name, 1, ["N"]) for name in ("v0", f"v{count}")]
    return helper.make_model(helper.make_graph(nodes, "chain", values[:1], values[1:]))
