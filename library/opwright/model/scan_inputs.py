"""The inputs of a model from which runtimes find the ranks in the bodies of its Scans."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import ModelProto, NodeProto

from opwright.graphs.ids import FunctionId, call_id, called, callees_first, function_id
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.opsets.records import SCAN


def inputs_of_scans(model: ModelProto) -> set[str]:
    """Their names, among names of other values: all that a Scan reads, in its body too, and all that this is computed
    from, up to values whose ranks the model declares. Functions in which there is one count as a whole."""
    holders = _holders_of_scans(model)
    ranked = {value.name for value in model.graph.value_info if value.type.tensor_type.HasField("shape")}
    needed: set[str] = set()
    for node in reversed(model.graph.node):  # which come behind those that they read
        if not needed.isdisjoint(node.output) or not holders.isdisjoint(map(call_id, all_nodes([node]))):
            needed.update(name for name in _read(node) if name not in ranked)
    return needed


def _holders_of_scans(model: ModelProto) -> set[FunctionId]:
    """What nodes call that run a Scan: that operator, and functions of the model."""
    holders: set[FunctionId] = {(SCAN.domain, SCAN.name, "")}
    for function in callees_first({function_id(item): item for item in model.functions}):
        if not holders.isdisjoint(called(function)):
            holders.add(function_id(function))
    return holders


def _read(node: NodeProto) -> Iterator[str]:
    """The names that a node and its graphs read; among them those of values in the graphs."""
    for inner in all_nodes([node]):
        yield from inner.input
        for graph in subgraphs(inner):
            yield from (value.name for value in graph.output)
