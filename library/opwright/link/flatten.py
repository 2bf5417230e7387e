"""Shortens chains of calls, for onnx.checker refuses those of more than 100 functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from onnx import FunctionProto, helper

from opwright.graphs.ids import FunctionId, called, function_id
from opwright.graphs.inline import inline_into
from opwright.graphs.walk import all_nodes
from opwright.link.digests import function_digests, record_of
from opwright.link.metadata import FLATTENED
from opwright.opsets.domains import normal_domain

DEEPEST_CALL = 50  # half of what the checker takes: the model's own functions may call ours


def flatten(
    functions: Sequence[FunctionProto],
    roots: Collection[FunctionId],
    named: Mapping[FunctionId, Sequence[FunctionId]] | None = None,
) -> list[FunctionProto]:
    """Shortens chains of calls deeper than DEEPEST_CALL: functions of the levels between are inlined into callers.

    `functions` are callees first and stay so; those that are neither called any more nor among `roots` are dropped.
    `named`: what the nodes of each function are called, where that is known.
    """
    by_id = {function_id(function): function for function in functions}
    calls = dict(named or {identity: called(function) for identity, function in by_id.items()})
    heights: dict[FunctionId, int] = {}
    for identity, callees in calls.items():
        heights[identity] = 1 + max((heights[callee] for callee in callees if callee in heights), default=-1)
    deepest = 1 + max(heights.values(), default=0)
    if deepest <= DEEPEST_CALL:
        return _reached(by_id, roots, calls)
    # Every step-th level stays a function. With levels kept at equal distances the copies multiply least.
    step = -(-deepest // (DEEPEST_CALL - 1))
    kept = {identity for identity, height in heights.items() if height % step == 0}
    versions = {item.domain: item.version for function in functions for item in function.opset_import}
    result: dict[FunctionId, FunctionProto] = {}
    for identity, function in by_id.items():
        if identity in kept or identity in roots:
            flat = FunctionProto()
            flat.CopyFrom(function)
            if any(callee in by_id and callee not in kept for callee in calls[identity]):
                inline_into(flat, lambda callee: None if callee in kept else by_id.get(callee))
                _set_imports(flat, versions)
                if record_of(flat) is not None:
                    flat.metadata_props.add(key=FLATTENED)
                calls[identity] = called(flat)
            result[identity] = flat
    _write_digests(result)
    return _reached(result, roots, calls)


def _reached(
    functions: Mapping[FunctionId, FunctionProto],
    roots: Collection[FunctionId],
    calls: Mapping[FunctionId, Sequence[FunctionId]],
) -> list[FunctionProto]:
    """Those of the functions that are roots or are called, in their order."""
    pending, reached = list(roots), set(roots)
    while pending:
        for callee in calls.get(pending.pop(), ()):
            if callee not in reached:
                reached.add(callee)
                pending.append(callee)
    return [function for identity, function in functions.items() if identity in reached]


def _write_digests(functions: Mapping[FunctionId, FunctionProto]) -> None:
    """Writes down what the nodes of functions from libraries really are, which are told from altered ones by it."""
    marked = [
        (identity, item)
        for identity, function in functions.items()
        for item in function.metadata_props
        if item.key == FLATTENED
    ]
    digests = function_digests(functions.values()) if marked else {}
    for identity, item in marked:
        item.value = digests[identity]


def _set_imports(function: FunctionProto, versions: Mapping[str, int]) -> None:
    """Imports what the nodes need; all functions made for one model import the same version of a domain."""
    used = {"", *(normal_domain(node.domain) for node in all_nodes(function.node))}
    del function.opset_import[:]
    function.opset_import.extend(helper.make_opsetid(domain, versions.get(domain, 1)) for domain in sorted(used))
