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


def attached(model: ModelProto, acme: Bundle) -> ModelProto:
    training = list(model.training_info)
    del model.training_info[:]
    made = attach(model, acme)
    made.training_info.extend(training)
    return made


def test_what_training_graphs_call_is_told(acme: Bundle) -> None:
    found = {item.name: (item.state, item.calls) for item in inspect(with_training(attach(parse(TEXT), acme)))}
    assert found == {"Swish": (State.UNALTERED, 2), "Floor": (State.UNDEFINED, 1)}
