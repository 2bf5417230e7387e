"""Where nodes come from."""

from __future__ import annotations

import inspect
from typing import Any

from onnx import NodeProto
from opwright import FLOAT, GraphBuilder
from opwright import opset22 as op


def metadata(node: NodeProto) -> dict[str, str]:
    return {item.key: item.value for item in node.metadata_props}


def layer(x: Any) -> Any:
    return op.Relu(x)


def line_of(function: Any, text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(index for index, line in enumerate(lines) if text in line)


def test_nodes_say_which_line_made_them_and_who_called_it() -> None:
    b = GraphBuilder(opset=22)
    x = b.input("x", FLOAT[2])
    y = layer(x)
    z = op.If(op.ReduceMax(y) > 0, then_branch=lambda: layer(y), else_branch=lambda: y - x)
    b.output("z", z)
    model = b.to_model_proto()
    relu = next(node for node in model.graph.node if node.op_type == "Relu")
    here = "tests/builder/test_origins.py"
    assert metadata(relu)["opwright.place"] == f"{here}:{line_of(layer, 'op.Relu')}:12"
    outer = test_nodes_say_which_line_made_them_and_who_called_it
    stack = metadata(relu)["opwright.stack"].splitlines()
    assert stack[0] == f"{here}:{line_of(outer, 'y = layer(x)')} in {outer.__name__}"
    inner = model.graph.node[-1].attribute[0].g.node[0]
    assert metadata(inner)["opwright.place"] == metadata(relu)["opwright.place"]
    assert not any(line.startswith("/") for line in stack)


def test_places_are_left_out_on_request() -> None:
    b = GraphBuilder(opset=22)
    b.output("y", layer(b.input("x", FLOAT[2])))
    assert not any(node.metadata_props for node in b.to_model_proto(debug=False).graph.node)
