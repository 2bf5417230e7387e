"""No body hands an absent input on as the last input of an operator: inlined it is an empty name, and onnxruntime fuses
no Pad or Clip that has one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from onnx import FunctionProto, GraphProto, NodeProto
from opwright.bundle.format import BodyEntry, FunctionEntry
from opwright.bundle.read import find_bundle

from tests.own_specs import build_operators


def test_no_last_input_may_be_absent(tmp_path: Path) -> None:
    bundle = find_bundle(build_operators(tmp_path))
    passed = [
        f"{function.name} {dict(entry.variant)}: {node.op_type}"
        for function in bundle.index.functions
        for entry in function.bodies
        if (places := _may_be_absent(function, entry))
        for node in _ending_in(places, FunctionProto.FromString(bundle.bodies[entry.body]))
    ]
    assert not passed, "ask `None if x is None else x`, so that there is a body without it"


def _may_be_absent(function: FunctionEntry, entry: BodyEntry) -> list[int]:
    """The places of the inputs that calls may leave out of this body."""
    optional = {item.name for item in function.inputs if item.optional}
    given = {name for name, state in entry.variant if state == "present"}
    return [place for place, name in enumerate(entry.inputs) if name in optional - given]


def _ending_in(places: list[int], body: FunctionProto) -> Iterator[NodeProto]:
    """The nodes whose last input is an input of the body in one of these places."""
    names = {body.input[place] for place in places}
    yield from (node for node in _nodes(body) if node.input and node.input[-1] in names)


def _nodes(graph: FunctionProto | GraphProto) -> Iterator[NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
