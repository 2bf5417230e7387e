"""Shortens chains of calls, for onnx.checker refuses those of more than 100 functions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from onnx import FunctionProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.ids import FunctionId, call_id, called, function_id
from opwright.graphs.inline import MOST_NODES, inline_into
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
    """Shortens chains of calls deeper than DEEPEST_CALL: functions of some levels are inlined into their callers.

    `functions` are callees first and stay so; those that are neither called any more nor among `roots` are dropped.
    `named`: what the nodes of each function are called, where that is known. Raises DiagnosticError (OW565) where that
    would make too many nodes.
    """
    by_id = {function_id(function): function for function in functions}
    calls = dict(named or {identity: called(function) for identity, function in by_id.items()})
    heights: dict[FunctionId, int] = {}
    for identity, callees in calls.items():
        heights[identity] = 1 + max((heights[callee] for callee in callees if callee in heights), default=-1)
    deepest = 1 + max(heights.values(), default=0)
    if deepest <= DEEPEST_CALL:
        return _reached(by_id, roots, calls)
    kept = _at_levels(heights, deepest, DEEPEST_CALL - 1)
    if _node_count(by_id, calls, kept, roots) > MOST_NODES:
        raise DiagnosticError([_too_deep(deepest)])
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


def _at_levels(heights: Mapping[FunctionId, int], deepest: int, most: int) -> set[FunctionId]:
    """The functions of so many of the levels, at equal distances: so the copies multiply least."""
    return {key for key, height in heights.items() if (height + 1) * most // deepest > height * most // deepest}


def _node_count(
    functions: Mapping[FunctionId, FunctionProto],
    calls: Mapping[FunctionId, Sequence[FunctionId]],
    kept: Collection[FunctionId],
    roots: Collection[FunctionId],
) -> int:
    """How many nodes the functions have in all once those that are not kept are inlined."""
    sizes: dict[FunctionId, int] = {}
    count = 0
    for identity, function in functions.items():
        inlined = {callee for callee in calls[identity] if callee in sizes and callee not in kept}
        names = [call_id(node) for node in all_nodes(function.node)] if inlined else []
        sizes[identity] = len(function.node) + sum(sizes[name] for name in names if name in inlined)
        if identity in kept or identity in roots:
            count += sizes[identity]
    return count


def _too_deep(deepest: int) -> Diagnostic:
    return Diagnostic(
        "OW565",
        f"functions call one another {deepest} deep",
        reason="a model has chains of at most 100 calls, and to inline the functions of some levels would make more "
        f"than {MOST_NODES} nodes",
        help="call them less deeply: runtimes inline each call, and would make as many nodes and more",
    )


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
