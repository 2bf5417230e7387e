"""Loops without a condition, as onnx's reference evaluator must not see them: it makes no trip where none is given, and
the standard means a condition that is always true."""

from __future__ import annotations

from collections.abc import MutableSequence
from itertools import count

import numpy as np
from onnx import ModelProto, NodeProto, helper, numpy_helper

from opwright.graphs.walk import all_graphs, all_nodes, graphs_in, names_of
from opwright.opsets.records import CONSTANT, LOOP


def lacks_conditions(model: ModelProto) -> bool:
    """Whether any loop of the model, functions included, has no condition."""
    bodies = (model.graph.node, *(function.node for function in model.functions))
    return any(_has_none(node) for nodes in bodies for node in all_nodes(nodes))


def give_conditions(model: ModelProto) -> None:
    """Gives such loops a constant that is true, in place."""
    for function in model.functions:
        names = {*function.input, *(name for node in function.node for name in node.output)}
        _give(function.node, names.union(name for graph in graphs_in(function) for name in names_of(graph)))
    _give(model.graph.node, {name for graph in all_graphs(model.graph) for name in names_of(graph)})


def _has_none(node: NodeProto) -> bool:
    return LOOP.describes(node) and (len(node.input) < 2 or not node.input[1])


def _give(nodes: MutableSequence[NodeProto], taken: set[str]) -> None:
    loops = [node for node in all_nodes(nodes) if _has_none(node)]
    if not loops:
        return
    name = next(name for number in count() if (name := f"always_{number}") not in taken)
    for loop in loops:
        loop.input.extend([""] * (2 - len(loop.input)))
        loop.input[1] = name
    nodes.insert(0, helper.make_node(CONSTANT.name, [], [name], value=numpy_helper.from_array(np.array(True))))
