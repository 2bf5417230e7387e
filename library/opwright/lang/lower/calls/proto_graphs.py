"""Graphs that a node of a model holds, called by the body of a template: their nodes in place of the call.

The nodes mean what they mean in the model. Where the opset that the body is made for has another version of an
operator, a node becomes one of it by the rules for calls in sources (`written_for`), or is refused. What such a graph
takes from around itself, a function cannot reach; that is refused too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx import AttributeProto, GraphProto, NodeProto, TypeProto, ValueInfoProto

from opwright.elements import BY_CODE
from opwright.lang import ir
from opwright.lang.infer.of_protos import flow_types
from opwright.lang.infer.result_types import Mismatch, WrongResult, bind, result_types
from opwright.lang.lower.nodes.emitted_calls import report_mismatch
from opwright.lang.lower.nodes.invalid_calls import note_contents
from opwright.lang.lower.nodes.written_for import CallForm
from opwright.lang.lower.numbers.number_operands import as_tensor, needs_element
from opwright.lang.lower.rules import calls
from opwright.lang.lower.state.context import Lowering, complete
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.objects import GraphObject
from opwright.lang.meaning.operands import Arguments, Environment, Operand
from opwright.lang.text.source import Span
from opwright.opsets.domains import normal_domain
from opwright.opsets.record import Role
from opwright.opsets.signatures import Signature, is_known_domain, signature
from opwright.protos.canonical_tensors import RefusedError, elements_of_tensor

_Values = dict[str, ir.Value | None]
_KINDS = {kind.code: kind for kind in ir.AttributeKind}


@calls(GraphObject)
def call_graph(low: Lowering, graph: GraphObject, arguments: Arguments, env: Environment) -> Operand:
    """What the graph's nodes make of the arguments: one value, or a tuple of them."""
    proto, span = graph.proto, arguments.span
    if arguments.keywords or len(arguments.positional) != len(proto.input):
        raise _refuse(
            low,
            graph,
            f"it is given {len(arguments.positional) + len(arguments.keywords)} values, and takes {len(proto.input)}",
            span,
        )
    values: _Values = {"": None}
    for formal, (operand, place) in zip(proto.input, arguments.positional, strict=True):
        value = _argument(low, graph, formal, operand, place)
        values[formal.name] = value
    _Inlined(low, graph, span).nodes(proto, values)
    results = []
    for formal in proto.output:
        result = values.get(formal.name)
        if result is None:
            raise _refuse(low, graph, f"nothing defines its output {formal.name!r}", span)
        results.append(result)
    return results[0] if len(results) == 1 else tuple(results)


def _argument(low: Lowering, graph: GraphObject, formal: ValueInfoProto, operand: Operand, span: Span) -> ir.Value:
    """An argument as a value of the type that the graph declares."""
    declared = _type_of(formal.type)
    value = as_tensor(low, operand, declared.element, span)
    if declared.is_unknown:
        return value
    inner = value.type
    while inner.item is not None:
        inner = inner.item
    variable = ir.open_element(inner.element)
    if variable is not None and variable.rigid:
        raise needs_element(low, variable, span)
    if value.optional or not declared.unify(value.type, low.trail):
        raise _refuse(low, graph, f"its input {formal.name!r} is {declared!r}, and {value.type!r} is given", span)
    return value


def _refuse(low: Lowering, graph: GraphObject, reason: str, span: Span | None) -> Poisoned:
    return low.error(
        "OW356",
        f"the graph {graph.proto.name!r} cannot be called here",
        span,
        reason=reason,
        help="change the graph of the node",
    )


def _type_of(proto: TypeProto) -> ir.Type:
    """A declared type, without its sizes."""
    kind = proto.WhichOneof("value")
    if kind == "sequence_type":
        return ir.SequenceType(_type_of(proto.sequence_type.elem_type))
    if kind == "optional_type":
        return ir.OptionalType(_type_of(proto.optional_type.elem_type))
    if kind == "map_type" and proto.map_type.key_type in BY_CODE:
        return ir.MapType(BY_CODE[proto.map_type.key_type], _type_of(proto.map_type.value_type))
    if kind != "tensor_type" or proto.tensor_type.elem_type not in BY_CODE:
        return ir.UnknownType()
    shape = (None,) * len(proto.tensor_type.shape.dim) if proto.tensor_type.HasField("shape") else None
    return ir.TensorType(BY_CODE[proto.tensor_type.elem_type], shape)


class _Inlined:
    """The nodes of one graph that a model holds, and of those inside it."""

    def __init__(self, low: Lowering, graph: GraphObject, span: Span) -> None:
        self.low = low
        self.graph = graph
        self.span = span

    def refuse(self, reason: str) -> Poisoned:
        _refuse(self.low, self.graph, reason, self.span)
        return Poisoned(ends=True)

    def nodes(self, proto: GraphProto, values: _Values) -> None:
        """Adds the nodes; `values` are those in scope, and become those that the graph has at its end."""
        if proto.sparse_initializer:
            raise self.refuse("it has a sparse initializer")
        for tensor in proto.initializer:
            try:
                data = ir.TensorData(*elements_of_tensor(tensor))
            except RefusedError as error:
                raise self.refuse(str(error)) from None
            values[tensor.name] = self.low.constant(data, self.span)
        declared = {item.name: _type_of(item.type) for item in (*proto.value_info, *proto.output)}
        for node in proto.node:
            self._node(node, values, declared)

    def _node(self, node: NodeProto, values: _Values, declared: Mapping[str, ir.Type]) -> None:
        meant, operator = self._operator(node)
        inputs: list[ir.Value | None] = []
        for name in node.input:
            if name not in values:
                raise self.refuse(f"its node {node.op_type} reads {name!r}, which is defined outside of it")
            inputs.append(values[name])
        attributes = {item.name: self._attribute(node, item, values) for item in node.attribute}
        found = operator.signature
        if meant.since_version != found.since_version:
            inputs, attributes = self._brought(node, meant, found, inputs, attributes)
        try:
            bindings = bind(found, inputs, self.low.trail) if found.inputs else {}
            types = (
                result_types(found, bindings, inputs, attributes, len(node.output), self.low.trail)
                if found.outputs
                else []
            )
        except Mismatch as mismatch:
            report_mismatch(self.low, found, inputs, mismatch, [self.span] * len(inputs))
            raise Poisoned(ends=True) from None
        except WrongResult as wrong:
            raise self.refuse(f"{found.identity} gives no {wrong.type!r}") from None
        results: list[ir.Value | None] = []
        for index, name in enumerate(node.output):
            type_ = types[index] if index < len(types) else ir.UnknownType()
            if type_.is_unknown:
                type_ = self._follows(operator, attributes, inputs, index) or _unsized(declared.get(name, type_))
            result = ir.Value(type_, name, self.span) if name else None
            results.append(result)
            if name:
                values[name] = result
        self.low.append(ir.Call(operator, inputs, complete(found, attributes), results, self.span))
        if found.record.role is Role.CONSTANT and results[0] is not None:
            note_contents(self.low, results[0], attributes)

    def _brought(
        self,
        node: NodeProto,
        meant: Signature,
        found: Signature,
        inputs: list[ir.Value | None],
        attributes: dict[str, ir.Attribute],
    ) -> tuple[list[ir.Value | None], dict[str, ir.Attribute]]:
        """The inputs and attributes of a node as those of another version of its operator."""
        form = CallForm(self.low, self.span, inputs, attributes, len(node.output))
        reason = form.bring(meant, found)
        if reason:
            raise self.refuse(
                f"its node {node.op_type} is one of {meant.identity}, and of {found.identity}, the version at opset "
                f"{self.low.target.bare_opset}, it cannot be: {reason}"
            )
        return form.values, form.attributes

    def _follows(
        self,
        operator: ir.Operator,
        attributes: Mapping[str, ir.Attribute],
        inputs: Sequence[ir.Value | None],
        index: int,
    ) -> ir.Type | None:
        """The type of a result of control flow, where a graph inside or what it begins with says it."""
        regions = [item.graph for item in attributes.values() if item.graph is not None]
        if not regions:
            return None
        given = [None if value is None else value.type for value in inputs]
        made = flow_types(operator.record.role, given, [[value.type for value in item.yields] for item in regions])
        found = made[index] if index < len(made) else None
        return None if found is None or found.is_unknown else _unsized(found)

    def _operator(self, node: NodeProto) -> tuple[Signature, ir.Operator]:
        """The operator as the model means it, and that of the body's opset."""
        domain = normal_domain(node.domain)
        version = self.graph.imports.get(domain)
        if node.overload or version is None:
            raise self.refuse(f"its node {node.op_type} calls a function of the model")
        if domain and not is_known_domain(domain):
            foreign = _foreign(domain, node, version)
            return foreign, ir.Operator(foreign)
        meant = signature(domain, node.op_type, version)
        found = self.low.target.find(domain, node.op_type, version)
        if meant is None:
            raise self.refuse(f"{domain or 'ai.onnx'} has no operator {node.op_type} at version {version}")
        if found is None:
            raise self.refuse(
                f"its node {node.op_type} is one of {meant.identity}, and opset {self.low.target.bare_opset} has none"
            )
        self.low.target.needs_version(found.signature)
        return meant, found

    def _attribute(self, node: NodeProto, attribute: AttributeProto, values: _Values) -> ir.Attribute:
        if attribute.ref_attr_name:
            raise self.refuse(
                f"its node {node.op_type} refers to the attribute {attribute.ref_attr_name!r} of the function around it"
            )
        kind = _KINDS.get(attribute.type)
        made: ir.AttributeLiteral | ir.TensorData | ir.Region | None = None
        try:
            match kind:
                case ir.AttributeKind.INT:
                    made = attribute.i
                case ir.AttributeKind.FLOAT:
                    made = attribute.f
                case ir.AttributeKind.STRING:
                    made = attribute.s.decode()
                case ir.AttributeKind.INTS:
                    made = tuple(attribute.ints)
                case ir.AttributeKind.FLOATS:
                    made = tuple(attribute.floats)
                case ir.AttributeKind.STRINGS:
                    made = tuple(item.decode() for item in attribute.strings)
                case ir.AttributeKind.TENSOR:
                    made = ir.TensorData(*elements_of_tensor(attribute.t))
                case ir.AttributeKind.GRAPH:
                    made = self._region(attribute.g, values)
        except (UnicodeDecodeError, RefusedError) as error:
            raise self.refuse(f"its node {node.op_type} has the attribute {attribute.name}: {error}") from None
        if kind is None:
            raise self.refuse(f"its node {node.op_type} has the attribute {attribute.name} of an unusual kind")
        return ir.AttributeValue(kind, made)

    def _region(self, proto: GraphProto, values: _Values) -> ir.Region:
        """A graph inside, which sees the values around it."""
        parameters = [ir.Value(_unsized(_type_of(item.type)), item.name, self.span) for item in proto.input]
        region = ir.Region(parameters)

        def step() -> list[ir.Value]:
            inner = {**values, **{item.name: value for item, value in zip(proto.input, parameters, strict=True)}}
            self.nodes(proto, inner)
            yields = [inner.get(item.name) for item in proto.output]
            if any(value is None for value in yields):
                raise self.refuse("a graph in it has an output that nothing defines")
            return [value for value in yields if value is not None]

        region.yields = self.low.nested(region, self.span, step)
        return region


def _unsized(type_: ir.Type) -> ir.Type:
    """A tensor of rank 0 stays one; of others nothing is said of the shape."""
    return type_ if type_.element is None else ir.TensorType(type_.element, () if type_.shape == () else None)


def _foreign(domain: str, node: NodeProto, version: int) -> Signature:
    """An operator of which nothing is known but its domain's version."""
    made = Signature.__new__(Signature)
    made.domain, made.name, made.since_version = domain, node.op_type, version
    made.deprecated, made.deterministic = False, False
    made.inputs, made.outputs, made.attributes, made.admitted = (), (), {}, {}
    made.min_inputs = made.min_outputs = 0
    made.max_inputs, made.max_outputs = len(node.input), len(node.output)
    made.derive()
    return made
