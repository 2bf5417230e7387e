"""The profile `overload` of models and functions: variants told apart by overloads in place of names, on request."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import FunctionProto, ModelProto

from opwright.functions import OnnxFunction
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_nodes
from opwright.variants import Key, overload_of


def overload_id(function: OnnxFunction, name: str, label: Key) -> FunctionId:
    """The id of a variant in this profile: after an overload that the decorator says, the variant's key."""
    return function.domain, name, ",".join(filter(None, (function.overload, overload_of(label))))


def use_overloads(model: ModelProto, ids: Mapping[FunctionId, FunctionId]) -> None:
    """Gives the functions of a finished model the ids that `ids` maps theirs to.

    Those that functions call keep their names: onnxruntime resolves overloads in the graph alone.
    """
    nested = {call_id(node) for function in model.functions for node in all_nodes(function.node)}
    taken = {function_id(function) for function in model.functions}
    renamed: dict[FunctionId, FunctionId] = {}
    for function in model.functions:
        identity = function_id(function)
        found = ids.get(identity)
        if found is not None and found not in taken and identity not in nested:
            taken.add(found)
            renamed[identity] = found
            set_id(function, found)
    for node in all_nodes(model.graph.node):
        found = renamed.get(call_id(node))
        if found is not None:
            node.domain, node.op_type, node.overload = found


def set_id(function: FunctionProto, identity: FunctionId) -> None:
    function.domain, function.name, function.overload = identity
