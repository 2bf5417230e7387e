"""Element types of the values of a model, in one pass over its nodes in their (topological) order.

A node's outputs follow from its schema's type variables; from its attributes for operators such as `Cast`; from its
subgraphs for `If`, `Loop`, `Scan`, `SequenceMap`; for a call of a model-local function from the function's body,
gone through once per combination of argument types. Nodes that the libraries serve are given to a visitor, with what
is known at that point. A declared `value_info` counts where nothing else is known.

Recursion follows the nesting of subgraphs, which protobuf bounds, and of function calls, which is bounded here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import fits_size
from opwright.graphs.ids import FunctionId
from opwright.graphs.node_order import in_order
from opwright.graphs.walk import subgraphs
from opwright.lang import ir
from opwright.lang.infer.of_protos import flow_types, graph_arguments
from opwright.link.schema_types import infer_outputs, schema_at
from opwright.link.shared_types import shared_types
from opwright.link.value_types import ABSENT, fact_of, text_of, text_of_code, type_of
from opwright.opsets.domains import STANDARD_DOMAINS, normal_domain
from opwright.opsets.record import CONTROL_FLOW
from opwright.opsets.records import CONSTANT, record_of

Fact = str | None  # a type as text, ABSENT, or None: not known
Shape = tuple[int | None, ...]  # None for a size that is not known

# Levels of calls and subgraphs, one inside another. onnx.checker refuses chains of more than 100 calls and protobuf
# more than 33 nested subgraphs; a level takes up to five frames of CPython's 1,000.
DEEPEST = 135
MOST_VISITS = 2_000_000  # of nodes, those of functions once for each combination of types: a minute's work


@dataclass(frozen=True, slots=True)
class Visit:
    """A node as it is met, with what is known there.

    `inputs` are facts by position, `ranks` what is declared of their ranks; `attributes` are its attributes, with
    references to a function's attributes resolved; `imports` the domain versions of the model or function that the
    node stands in; `place` says where it stands; `function` is the model-local function that it stands in; `scope`
    holds the values that the node sees.
    """

    node: NodeProto
    inputs: tuple[Fact, ...]
    attributes: Mapping[str, AttributeProto]
    imports: Mapping[str, int]
    place: str
    function: FunctionProto | None
    ranks: tuple[int | None, ...] = ()
    scope: Scope | None = None

    def shape(self, position: int) -> Shape | None:
        """What is declared of the shape of an input, as far as it is numbers; None where not even the rank is."""
        if self.scope is not None:
            return self.scope.shape(self.node.input[position])
        rank = self.ranks[position] if position < len(self.ranks) else None
        return None if rank is None else (None,) * rank


class Visitor(Protocol):
    """`visit` gives the types of the outputs of a node that it serves, None for one that it leaves alone."""

    def visit(self, visit: Visit) -> Sequence[Fact] | None: ...


Observer = Callable[[Visit, Sequence[Fact]], None]


class Scope:
    """The values of a graph or function that are known so far, and those of the graphs around it. `caller` is the place
    of the node that calls the function."""

    __slots__ = (
        "attributes",
        "caller",
        "constants",
        "declared",
        "function",
        "imports",
        "outer",
        "place",
        "shapes",
        "values",
    )

    def __init__(
        self,
        imports: Mapping[str, int],
        place: str,
        attributes: Mapping[str, AttributeProto],
        outer: Scope | None = None,
        function: FunctionProto | None = None,
        caller: str = "",
    ) -> None:
        self.imports = imports
        self.place = place
        self.attributes = attributes
        self.outer = outer
        self.function: FunctionProto | None = outer.function if outer is not None else function
        self.caller: str = outer.caller if outer is not None else caller
        self.values: dict[str, Fact] = {}
        self.declared: dict[str, Fact] = {}
        self.shapes: dict[str, Shape] = {}
        self.constants: dict[str, TensorProto | NodeProto] = {}

    def constant(self, name: str) -> TensorProto | NodeProto | None:
        """The initializer, or the node of `Constant`, that a value is; None for any other value."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.constants or name in scope.values:
                return scope.constants.get(name)
            scope = scope.outer
        return None

    def shape(self, name: str) -> Shape | None:
        """The declared shape of a value; a value of a graph hides one of the same name around it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.shapes or name in scope.values:
                return scope.shapes.get(name)
            scope = scope.outer
        return None

    def rank(self, name: str) -> int | None:
        """The declared rank of a value."""
        shape = self.shape(name)
        return len(shape) if shape is not None else None

    def fact(self, name: str) -> Fact:
        if not name:
            return ABSENT
        scope: Scope | None = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.outer
        return None

    def define(self, name: str, fact: Fact) -> None:
        if name:
            self.values[name] = self.declared.get(name) if fact is None else fact


class Propagation:
    """One pass over a model. `run` visits everything, `run_graph` what the graph calls, `run_functions` functions for
    themselves; problems of the visitor are the visitor's to keep."""

    def __init__(
        self, model: ModelProto, visitor: Visitor, observer: Observer | None = None, served: Iterable[str] = ()
    ) -> None:
        """`observer` is told of every operator that is no call and that the visitor left alone, with its outputs;
        of domains that are `served` the visitor knows every operator."""
        self._model = model
        self._visitor = visitor
        self._observer = observer
        self._functions: dict[FunctionId, FunctionProto] = {}
        for function in model.functions:
            self.add_function((function.domain, function.name, function.overload), function)
        self._results: dict[tuple[object, ...], tuple[Fact, ...]] = {}
        self._visited: set[FunctionId] = set()
        self._depth = 0
        self._visits = 0
        self._imports = imports_of(model)
        self._described = frozenset((*STANDARD_DOMAINS, *map(normal_domain, served)))
        self._may_be_open = not self._imports.keys() <= self._described

    def add_function(self, identity: FunctionId, function: FunctionProto) -> None:
        """Makes a function known to calls under an id of the caller's choice."""
        domain, name, overload = identity
        self._functions[normal_domain(domain), name, overload] = function

    def run(self) -> None:
        self.run_graph()
        self.run_functions(self._functions)

    def run_graph(self) -> None:
        self._graph(self._model.graph, Scope(self._imports, "", {}))

    def run_functions(self, identities: Iterable[FunctionId]) -> None:
        """Visits those that had no callers so far: nothing is known of their arguments."""
        for identity in list(identities):
            if identity not in self._visited:
                self.call(identity, [None] * len(self._functions[identity].input), {})

    def call(
        self,
        identity: FunctionId,
        arguments: Sequence[Fact],
        attributes: Mapping[str, AttributeProto],
        caller: str = "",
    ) -> tuple[Fact, ...]:
        """The types of a function's outputs for these arguments; `caller` is the place of the first such call."""
        function = self._functions[identity]
        given = {key: attributes[key] for key in sorted(attributes)}
        key = (identity, tuple(arguments), tuple(item.SerializeToString(deterministic=True) for item in given.values()))
        known = self._results.get(key)
        if known is not None:
            return known
        self._visited.add(identity)
        self._enter(f"{identity[0]}::{identity[1]}")
        for attribute in function.attribute_proto:
            given.setdefault(attribute.name, attribute)
        # A function may leave out imports that it shares with the model.
        imports = self._imports | {normal_domain(item.domain): item.version for item in function.opset_import}
        scope = Scope(imports, f"function {function.domain}::{function.name}", given, function=function, caller=caller)
        scope.declared = _declared(function.value_info)
        scope.shapes = _shapes(function.value_info)
        for index, name in enumerate(function.input):
            scope.define(name, arguments[index] if index < len(arguments) else ABSENT)
        self._nodes(enumerate(function.node), scope)
        self._depth -= 1
        result = tuple(scope.fact(name) for name in function.output)
        self._results[key] = result
        return result

    def _graph(self, graph: GraphProto, scope: Scope) -> list[Fact]:
        """Goes through a graph whose inputs' facts, where there are better ones than the declared, are in `scope`."""
        scope.declared = _declared((*graph.input, *graph.value_info, *graph.output))
        scope.shapes = _shapes((*graph.input, *graph.value_info, *graph.output))
        for value in graph.input:
            if scope.values.get(value.name) is None:
                scope.define(value.name, None)
        for tensor in graph.initializer:
            if tensor.name not in scope.values:  # one that is an input too is a default that callers may change
                scope.constants[tensor.name] = tensor
            scope.define(tensor.name, text_of_code(tensor.data_type))
            scope.shapes[tensor.name] = tuple(tensor.dims)
        for sparse in graph.sparse_initializer:
            scope.define(sparse.values.name, text_of_code(sparse.values.data_type))
        if self._may_be_open and any(map(self._is_open, graph.node)):
            known = shared_types(graph.node, scope.imports, lambda name: scope.fact(name) or scope.declared.get(name))
            scope.declared = {**known, **scope.declared}
        self._nodes(in_order(graph.node), scope)
        return [scope.fact(value.name) for value in graph.output]

    def _is_open(self, node: NodeProto) -> bool:
        """Whether nothing describes the operator: no schema, no function of the model, no visitor that serves it."""
        domain = normal_domain(node.domain)
        if domain in self._described or (domain, node.op_type, node.overload) in self._functions:
            return False
        return schema_at(node.op_type, domain, self._imports.get(domain, 0)) is None

    def _nodes(self, nodes: Iterable[tuple[int, NodeProto]], scope: Scope) -> None:
        """Goes through nodes, each with its place in their graph."""
        for index, node in nodes:
            self._visits += 1
            if self._visits > MOST_VISITS:
                raise DiagnosticError([_too_many(scope.place)])
            outputs = self._outputs(node, index, scope)
            if CONSTANT.describes(node) and node.output:
                scope.constants[node.output[0]] = node
            for position, name in enumerate(node.output):
                scope.define(name, outputs[position] if position < len(outputs) else None)

    def _outputs(self, node: NodeProto, index: int, scope: Scope) -> Sequence[Fact]:
        inputs = tuple(scope.fact(name) for name in node.input)
        attributes = _resolved_attributes(node, scope.attributes)
        domain = normal_domain(node.domain)
        identity = (domain, node.op_type, node.overload)
        where = f"{scope.place}, {_node_text(node, index)}".removeprefix(", ")
        if identity in self._functions:
            for graph in subgraphs(node):
                self._subgraph(graph, node, scope, where, ())
            return self.call(identity, inputs, attributes, where)
        ranks = tuple(scope.rank(name) for name in node.input)
        visit = Visit(node, inputs, attributes, scope.imports, where, scope.function, ranks, scope)
        served = self._visitor.visit(visit)
        if served is not None:
            return served
        if any(True for _ in subgraphs(node)):
            outputs = self._control_flow(node, inputs, attributes, scope, where)
        else:
            outputs = infer_outputs(node, domain, inputs, attributes, scope.imports)
        if self._observer is not None:
            self._observer(visit, outputs)
        return outputs

    def _control_flow(
        self,
        node: NodeProto,
        inputs: tuple[Fact, ...],
        attributes: Mapping[str, AttributeProto],
        scope: Scope,
        where: str,
    ) -> Sequence[Fact]:
        domain = normal_domain(node.domain)
        role = record_of(domain, node.op_type).role
        types = [type_of(fact) for fact in inputs]
        arguments = list(map(fact_of, graph_arguments(role, types, scope.imports.get("", 0))))
        results = [self._subgraph(graph, node, scope, where, arguments) for graph in subgraphs(node)]
        if role not in CONTROL_FLOW:
            return infer_outputs(node, domain, inputs, attributes, scope.imports)
        yields = [[type_of(fact) or ir.UnknownType() for fact in facts] for facts in results]
        return list(map(fact_of, flow_types(role, types, yields)))

    def _subgraph(
        self, graph: GraphProto, node: NodeProto, scope: Scope, where: str, arguments: Sequence[Fact]
    ) -> list[Fact]:
        inner = Scope(scope.imports, f"{where}, graph {graph.name!r}" if graph.name else where, scope.attributes, scope)
        for value, fact in zip(graph.input, arguments, strict=False):
            inner.values[value.name] = fact or None
        self._enter(where)
        results = self._graph(graph, inner)
        self._depth -= 1
        return results

    def _enter(self, where: str) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise DiagnosticError([_too_deep(where)])


def imports_of(model: ModelProto | FunctionProto) -> dict[str, int]:
    """The version of each domain that a model or function imports, the default domain as the empty name."""
    return {normal_domain(item.domain): item.version for item in model.opset_import}


def _declared(values: Iterable[ValueInfoProto]) -> dict[str, Fact]:
    return {value.name: text_of(value.type) for value in values}


def _shapes(values: Iterable[ValueInfoProto]) -> dict[str, Shape]:
    return {
        value.name: tuple(
            dim.dim_value if dim.HasField("dim_value") and fits_size(dim.dim_value) else None
            for dim in value.type.tensor_type.shape.dim
        )
        for value in values
        if value.type.HasField("tensor_type") and value.type.tensor_type.HasField("shape")
    }


def _resolved_attributes(node: NodeProto, outer: Mapping[str, AttributeProto]) -> dict[str, AttributeProto]:
    """A node's attributes; one that refers to an attribute that its function did not get is absent."""
    result: dict[str, AttributeProto] = {}
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            result[attribute.name] = attribute
        elif attribute.ref_attr_name in outer:
            resolved = AttributeProto()
            resolved.CopyFrom(outer[attribute.ref_attr_name])
            resolved.name = attribute.name
            result[attribute.name] = resolved
    return result


def _node_text(node: NodeProto, index: int) -> str:
    name = f" {node.name!r}" if node.name else ""
    domain = f"{node.domain}::" if node.domain else ""
    return f"node {index}{name} ({domain}{node.op_type})"


def _too_many(where: str) -> Diagnostic:
    return Diagnostic(
        "OW565",
        f"functions are called with too many combinations of types and attributes (at {where or 'the graph'})",
        reason=f"going through each takes more than {MOST_VISITS:,} nodes",
        help="call the functions fewer times, or with fewer different attributes",
    )


def _too_deep(where: str) -> Diagnostic:
    return Diagnostic(
        "OW565",
        f"the model's functions and subgraphs are nested more than {DEEPEST} deep (at {where})",
        reason="onnx.checker refuses such chains of calls, and recursion altogether",
        help="inline the model's own functions first, with onnx.inliner",
    )
