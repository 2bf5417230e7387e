"""Functions of one name and one body are one function: those that a factory makes anew for each layer, for instance."""

from __future__ import annotations

from collections.abc import Mapping

from onnx import FunctionProto, ModelProto

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_nodes
from opwright.protos.digest import Digests


def merge_equal(model: ModelProto, names: Mapping[FunctionId, str]) -> None:
    """Keeps the first of equal functions. `names` are those that functions had before two of one name met."""
    groups: dict[tuple[object, ...], list[FunctionProto]] = {}
    for function in model.functions:
        identity = function_id(function)
        name = names.get(identity, function.name)
        groups.setdefault((function.domain, name, function.overload), []).append(function)
    same: dict[FunctionId, FunctionId] = {}
    digests = Digests(model.functions)
    for group in groups.values():
        if len(group) > 1:
            group.sort(key=lambda item: names.get(function_id(item), item.name) != item.name)  # their own name first
            _find_equal(group, digests, same)
    if not same:
        return
    kept = [function for function in model.functions if function_id(function) not in same]
    for nodes in (model.graph.node, *(function.node for function in kept)):
        for node in all_nodes(nodes):
            found = same.get(call_id(node))
            if found is not None:
                node.domain, node.op_type, node.overload = found
    copies = [FunctionProto.FromString(function.SerializeToString()) for function in kept]
    del model.functions[:]
    model.functions.extend(copies)


def _find_equal(group: list[FunctionProto], digests: Digests, same: dict[FunctionId, FunctionId]) -> None:
    first: dict[tuple[object, ...], FunctionId] = {}
    for function in group:
        try:
            body = digests.of(function)
        except DiagnosticError:  # what has no canonical form is equal to nothing
            continue
        defaults = tuple(item.SerializeToString(deterministic=True) for item in function.attribute_proto)
        key = (body, tuple(function.input), tuple(function.output), tuple(function.attribute), defaults)
        known = first.setdefault(key, function_id(function))
        if known != function_id(function):
            same[function_id(function)] = known
