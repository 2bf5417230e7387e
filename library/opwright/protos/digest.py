"""The canonical digest of any function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, runtime_checkable

from onnx import FunctionProto, NodeProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import subgraphs_by_name
from opwright.opsets.domains import normal_domain
from opwright.protos.canonical import Callee, canonicalise
from opwright.protos.canonical_tensors import RefusedError
from opwright.protos.plain import plain_digest

_DEEPEST = 100  # messages inside one another, where protobuf's parsers stop


@runtime_checkable
class HasFunctionProto(Protocol):
    """Whatever becomes a function, such as one under `@script`."""

    def to_function_proto(self) -> FunctionProto: ...


def digest(function: FunctionProto | HasFunctionProto, callees: Iterable[FunctionProto] = ()) -> str:
    """The digest of a function's body, `body1:` and 64 hexadecimal digits.

    Equal digests mean equal bodies: names, the order of nodes that imply none, documentation, metadata and left-out
    defaults do not enter it. `callees` are the functions that it calls, and those that they call: they enter by their
    own digests, not by their names; calls of functions that are not among them count by domain, name and version.
    Linear in the size of what is given. Raises DiagnosticError (OW580) when a function has no canonical form.
    """
    root = function if isinstance(function, FunctionProto) else function.to_function_proto()
    return Digests(callees).of(root)


class Digests:
    """The digests of several functions with the same callees, each of which is brought into its form once."""

    def __init__(self, callees: Iterable[FunctionProto]) -> None:
        self._given = {function_id(item): item for item in callees}
        self._bodies: dict[FunctionId, Callee] = {}
        self._refused: dict[FunctionId, RefusedError] = {}

    def of(self, function: FunctionProto) -> str:
        """As `digest` has it."""
        if not self._given and (plain := plain_digest(function)) is not None:
            return plain
        open_: dict[FunctionId, None] = {}
        try:
            return self._find(function, open_)
        except RefusedError as refused:
            self._refused.update(dict.fromkeys(open_, refused))
            text = "the function has no canonical form"
            raise DiagnosticError([Diagnostic("OW580", text, reason=str(refused))]) from None

    def _find(self, root: FunctionProto, open_: dict[FunctionId, None]) -> str:
        given, bodies = self._given, self._bodies
        stack: list[tuple[FunctionId | None, FunctionProto, Iterator[FunctionId]]] = [(None, root, iter(_called(root)))]
        while True:
            identity, current, called = stack[-1]
            missing = next((item for item in called if item in given and item not in bodies), None)
            if missing is not None:
                if missing in self._refused:
                    raise self._refused[missing]
                if missing in open_:
                    raise RefusedError(f"the function {'::'.join(missing[:2])} calls itself")
                open_[missing] = None
                stack.append((missing, given[missing], iter(_called(given[missing]))))
                continue
            body = canonicalise(current, callees=_spelled(current, bodies))
            if identity is None:
                return body.digest
            bodies[identity] = body.callee
            del open_[identity]
            stack.pop()


def _called(function: FunctionProto) -> dict[FunctionId, None]:
    """The ids of all nodes, each once."""
    return dict.fromkeys(map(call_id, _all_nodes(function)))


def _spelled(function: FunctionProto, bodies: Mapping[FunctionId, Callee]) -> dict[FunctionId, Callee]:
    """The callees as the nodes spell their domains."""
    spelled = {(node.domain, node.op_type, node.overload) for node in _all_nodes(function)}
    return {key: bodies[found] for key in spelled if (found := (normal_domain(key[0]), *key[1:])) in bodies}


def _all_nodes(function: FunctionProto) -> Iterator[NodeProto]:
    pending = [(node, 1) for node in function.node]
    while pending:
        node, depth = pending.pop()
        if depth > _DEEPEST:
            raise RefusedError(f"its graphs are nested more than {_DEEPEST} deep")
        yield node
        pending += (
            (inner, depth + 3) for _, graphs in subgraphs_by_name(node) for graph in graphs for inner in graph.node
        )
