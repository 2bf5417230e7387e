"""Training graphs share what a model has: no tool changes that under them, and what they call is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from onnx import ModelProto
from opwright import attach, convert, detach, polyfill, upgrade
from opwright.bundle.format import Bundle
from opwright.foreign.link import link
from opwright.link.inspect import State, inspect

from tests.link.conftest import parse, refused

TEXT = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
g (float[N] x) => (float[N] y) { y = com.acme.Swish(x) }"""


def with_training(model: ModelProto) -> ModelProto:
    training = model.training_info.add()
    training.initialization.node.add(op_type="Floor", domain="com.acme", input=["x", "x"], output=["z"])
    training.algorithm.node.add(op_type="Swish", domain="com.acme", input=["x"], output=["w"])
    return model


@pytest.mark.parametrize(
    "change",
    [
        lambda model, acme: attach(model, acme),
        lambda model, acme: upgrade(attached(model, acme), acme),
        lambda model, acme: detach(attached(model, acme)),
        lambda model, acme: convert(model, opset=20, libraries=acme),
        lambda model, acme: polyfill(model, opset=17, libraries=acme),
        lambda model, acme: link(model, [acme]),
    ],
    ids=["attach", "upgrade", "detach", "convert", "polyfill", "link"],
)
def test_no_tool_changes_a_model_under_its_training_graphs(
    acme: Bundle, change: Callable[[ModelProto, Bundle], ModelProto]
) -> None:
    found = refused(lambda: change(with_training(parse(TEXT)), acme))
    assert [item.code for item in found] == ["OW546"]


def test_training_graphs_of_operators_are_no_obstacle(acme: Bundle) -> None:
    model = parse(TEXT)
    model.training_info.add().algorithm.node.add(op_type="Neg", input=["x"], output=["w"])
    made = attach(model, acme)
    assert made.training_info == model.training_info
    assert detach(made) == upgrade(model, acme) == link(model) == model
    assert [item.code for item in refused(lambda: convert(model, opset=20, libraries=acme))] == ["OW546"]


@pytest.mark.parametrize("change", [attach, upgrade, lambda model, acme: link(model, [acme])])
def test_functions_of_the_model_are_made_for_its_own_graph(
    acme: Bundle, change: Callable[[ModelProto, Bundle], ModelProto]
) -> None:
    model = parse(
        """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
        g (float[N] x) => (float[N] y) { y = my.F(x) }
        <domain: "my", opset_import: ["": 18, "com.acme": 1]> F (x) => (y) { y = com.acme.Swish(x) }"""
    )
    training = model.training_info.add()
    training.algorithm.node.add(op_type="F", domain="my", input=["x"], output=["w"])
    found = refused(lambda: change(attached(model, acme) if change is upgrade else model, acme))
    assert [item.code for item in found] == ["OW546"]


def attached(model: ModelProto, acme: Bundle) -> ModelProto:
    training = list(model.training_info)
    del model.training_info[:]
    made = attach(model, acme)
    made.training_info.extend(training)
    return made


def test_what_training_graphs_call_is_told(acme: Bundle) -> None:
    found = {item.name: (item.state, item.calls) for item in inspect(with_training(attach(parse(TEXT), acme)))}
    assert found == {"Swish": (State.UNALTERED, 2), "Floor": (State.UNDEFINED, 1)}
