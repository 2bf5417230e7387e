"""What functions are called by in a model, and the order of who calls whom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from onnx import FunctionProto, ModelProto, NodeProto

from opwright.graphs.walk import all_nodes
from opwright.opsets.domains import normal_domain

FunctionId = tuple[str, str, str]  # domain, name, overload


def call_id(node: NodeProto) -> FunctionId:
    """The function that a node calls, if there is one of that id."""
    return (normal_domain(node.domain), node.op_type, node.overload)


def function_id(function: FunctionProto) -> FunctionId:
    return (normal_domain(function.domain), function.name, function.overload)


def callees_first(
    functions: Mapping[FunctionId, FunctionProto], recursion: Callable[[FunctionId], Exception] | None = None
) -> list[FunctionProto]:
    """Sorted so that callees come before callers, else in the given order. Calls of functions that are not given count
    for nothing.

    Raises what `recursion` makes of a function that calls itself, by others too; without it such a call is skipped.
    """
    done: dict[FunctionId, FunctionProto] = {}
    open_: set[FunctionId] = set()
    for root in functions:
        if root in done:
            continue
        open_.add(root)
        stack = [(root, _callees(functions[root]))]
        while stack:
            identity, callees = stack[-1]
            callee = next((item for item in callees if item in functions and item not in done), None)
            if callee is None:
                stack.pop()
                open_.discard(identity)
                done[identity] = functions[identity]
            elif callee not in open_:
                open_.add(callee)
                stack.append((callee, _callees(functions[callee])))
            elif recursion is not None:
                raise recursion(callee)
    return list(done.values())


def uncalled_functions(model: ModelProto) -> list[FunctionProto]:
    """The functions of a model that no call leads to from its graph, callees first."""
    by_id = {function_id(item): item for item in model.functions}
    pending = [call_id(node) for node in all_nodes(model.graph.node)] if by_id else []
    while pending:
        found = by_id.pop(pending.pop(), None)
        pending += called(found) if found is not None else ()
    return callees_first(by_id)


def _callees(function: FunctionProto) -> Iterator[FunctionId]:
    return iter(called(function))


def called(function: FunctionProto) -> list[FunctionId]:
    """The ids of a function's nodes, those in subgraphs included, each once."""
    return list(dict.fromkeys(map(call_id, all_nodes(function.node))))
