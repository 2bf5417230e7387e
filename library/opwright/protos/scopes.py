"""The names of a function or graph and what they stand for, to any depth and without recursion.

For comparisons: nothing is ordered and nothing inside a graph is read before it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorProto

from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.walk import subgraphs_by_name
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import IDENTITY
from opwright.protos.canonical_attributes import encode_attribute
from opwright.protos.canonical_operators import BODY_DOMAIN, Operator, called_body, standard_operator
from opwright.protos.canonical_tensors import RefusedError
from opwright.protos.wire import chunk

Tensor = TensorProto | SparseTensorProto


class LocalFunction:
    """A function that a model carries, as the meaning of its calls."""

    __slots__ = ("attributes", "defaults", "identity", "proto", "unset")

    def __init__(self, proto: FunctionProto) -> None:
        self.proto = proto
        self.identity = function_id(proto)
        self.unset = {item.name: item for item in proto.attribute_proto}
        self.defaults = {
            item.name: encode_attribute(chunk(item.name.encode()), item)[0] for item in proto.attribute_proto
        }
        self.attributes = frozenset((*proto.attribute, *self.unset))


Meaning = Operator | LocalFunction


class Body:
    """A function or a model's graph: the versions it imports and the functions that it may call."""

    __slots__ = ("functions", "known", "versions")

    def __init__(self, holder: FunctionProto | ModelProto, functions: Mapping[FunctionId, LocalFunction]) -> None:
        self.versions = {normal_domain(item.domain): item.version for item in holder.opset_import}
        self.functions = functions
        self.known: dict[FunctionId, Meaning] = {}

    def meaning(self, node: NodeProto) -> Meaning:
        """What the node means. Raises RefusedError when nothing says so."""
        key = (node.domain, node.op_type, node.overload)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = self._look_up(normal_domain(node.domain), node.op_type, node.overload)
        return found

    def _look_up(self, domain: str, name: str, overload: str) -> Meaning:
        local = self.functions.get((domain, name, overload))
        if local is not None:
            return local
        if domain == BODY_DOMAIN:
            return called_body(name, None)
        version = self.versions.get(domain)
        if version is None:
            raise RefusedError(f"it uses {name} of the domain {domain or 'ai.onnx'}, which it does not import")
        return standard_operator(domain, name, version)

    def is_pure(self, root: NodeProto) -> bool:
        """Whether the node may be dropped when nothing reads it."""
        pending = [root]
        while pending:
            node = pending.pop()
            meaning = self.meaning(node)
            if isinstance(meaning, LocalFunction) or not (meaning.control_flow or meaning.deterministic):
                return False
            if meaning.control_flow:
                pending += (inner for _, graphs in subgraphs_by_name(node) for graph in graphs for inner in graph.node)
        return True


@dataclass(frozen=True, slots=True)
class Source:
    """What a name stands for: an output of a node, an input, or an initializer (no index)."""

    scope: Scope
    node: int | None
    index: int | None


class Scope:
    """One function's or graph's names. `met` has, for each node, the node on the other side that it is equal to."""

    __slots__ = ("body", "initializers", "inputs", "met", "nodes", "parent", "producers", "renamed", "twin")

    def __init__(
        self,
        body: Body,
        parent: Scope | None,
        nodes: Sequence[NodeProto],
        inputs: Iterable[str],
        initializers: Mapping[str, Tensor],
    ) -> None:
        self.body = body
        self.parent = parent
        self.nodes = nodes
        self.inputs = {name: index for index, name in enumerate(inputs)}
        self.initializers = initializers
        self.producers: dict[str, tuple[int, int]] = {}
        for position, node in enumerate(nodes):
            for index, name in enumerate(node.output):
                if name:
                    if name in self.producers or name in self.inputs or name in initializers:
                        raise RefusedError(f"the value {name!r} is defined twice")
                    self.producers[name] = (position, index)
        self.met: list[int | None] = [None] * len(nodes)
        self.renamed: dict[str, str] = {}
        self.twin: Scope = self

    def find(self, name: str) -> Source:
        """What the name stands for here. Raises RefusedError when it is not defined."""
        scope: Scope | None = self
        while scope is not None:
            produced = scope.producers.get(name)
            if produced is not None:
                return Source(scope, *produced)
            if name in scope.inputs:
                return Source(scope, None, scope.inputs[name])
            if name in scope.initializers:
                return Source(scope, None, None)
            scope = scope.parent
        raise RefusedError(f"the value {name!r} is not defined")


def pair(left: Scope, right: Scope) -> None:
    """Makes each the counterpart of the other."""
    left.twin, right.twin = right, left


def function_scope(proto: FunctionProto, body: Body) -> tuple[Scope, list[str]]:
    """The function's names, and one name for each output that no other output has."""
    nodes, outputs = distinct_outputs(proto.node, [*proto.input], [*proto.output])
    return Scope(body, None, nodes, _distinct(proto.input), {}), outputs


def graph_scope(proto: GraphProto, body: Body, parent: Scope | None) -> tuple[Scope, list[str]]:
    """The graph's names and its outputs; only a model's own graph may give an input out again."""
    inputs = [value.name for value in proto.input]
    outputs = [value.name for value in proto.output]
    nodes: Sequence[NodeProto] = proto.node
    if parent is None:
        nodes, outputs = distinct_outputs(nodes, inputs, outputs)
    initializers: dict[str, Tensor] = {tensor.name: tensor for tensor in proto.initializer}
    initializers.update((sparse.values.name, sparse) for sparse in proto.sparse_initializer)
    if len(initializers) != len(proto.initializer) + len(proto.sparse_initializer):
        raise RefusedError("two initializers have one name")
    return Scope(body, parent, nodes, _distinct(inputs), initializers), outputs


def distinct_outputs(
    nodes: Sequence[NodeProto], inputs: Sequence[str], outputs: Sequence[str]
) -> tuple[Sequence[NodeProto], list[str]]:
    """An output that is an input, or that another output is too, comes from an Identity: as in canonical bodies."""
    taken = {"", *inputs}
    names: list[str] = []
    added: list[NodeProto] = []
    for index, name in enumerate(outputs):
        if not name:
            raise RefusedError("an output has no name")
        if name in taken:
            copied, name = name, f"\0{index}"
            added.append(NodeProto(op_type=IDENTITY.name, input=[copied], output=[name]))
        taken.add(name)
        names.append(name)
    return ([*nodes, *added] if added else nodes), names


def _distinct(names: Iterable[str]) -> list[str]:
    found = list(names)
    if len(set(found)) != len(found) or "" in found:
        raise RefusedError("two inputs have one name, or one has none")
    return found


def trimmed(names: Sequence[str]) -> list[str]:
    """Without the absent ones at the end."""
    kept = list(names)
    while kept and not kept[-1]:
        kept.pop()
    return kept
