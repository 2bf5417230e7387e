"""IR to `FunctionProto`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

import onnx
from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorProto

from opwright.elements import ElementType
from opwright.lang import ir
from opwright.lang.dispatch import (
    Operation,
)
from opwright.opsets.records import CONSTANT, IDENTITY, IF, LOOP, SEQUENCE_ERASE, SEQUENCE_INSERT

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

Nodes: TypeAlias = "RepeatedCompositeFieldContainer[NodeProto]"
# The domain, name and overload under which a function that is called stands in the model.
Identify = Callable[[ir.FunctionReference], tuple[str, str, str]]


# Where a node is made, as it is written into the node; None where it is unknown.
PlaceOf = Callable[[ir.Node], str | None]
PLACE = "opwright.place"  # the key of metadata_props
COPIES_SEQUENCES_SINCE = 14  # the first opset at which Identity takes sequences


def own_identity(callee: ir.FunctionReference) -> tuple[str, str, str]:
    return callee.identity


class Called:
    """What nodes call, as they are emitted: operators and functions, and whether a call gives several results."""

    __slots__ = ("callees", "gives_several")

    def __init__(self) -> None:
        self.callees: set[ir.Operator | ir.FunctionReference] = set()
        self.gives_several = False


def emit_function(
    function: ir.Function,
    domain: str,
    overload: str = "",
    identify: Identify = own_identity,
    place_of: PlaceOf | None = None,
    called: Called | None = None,
) -> FunctionProto:
    """The proto under the names that the author declared. Attributes stand in declared order, without their defaults:
    those are written at every call. `place_of` says what nodes are named, and have in their metadata; `called` gets
    what they call."""
    proto = FunctionProto()
    proto.domain, proto.name, proto.overload = domain, function.name, overload
    proto.input.extend([value.name for value in function.inputs])
    proto.output.extend(function.outputs)
    proto.attribute.extend([parameter.name for parameter in function.attributes])
    emitter = _Emitter(function, identify, place_of, called=called)
    emitter.function_body(proto)
    for used, version in emitter.imports.items():
        imported = proto.opset_import.add()
        imported.domain, imported.version = used, version
    return proto


def emit_graph(
    function: ir.Function,
    outputs: Sequence[ir.Type],
    identify: Identify = own_identity,
    place_of: PlaceOf | None = None,
) -> tuple[GraphProto, dict[str, int]]:
    """The function's body as a graph, and the opset imports that it needs; `outputs` are the types of its outputs.

    Inputs, outputs and the values between them have their types as far as they are known.
    """
    graph = GraphProto(name=function.name)
    emitter = _Emitter(function, identify, place_of, types=True)
    emitter.function_body(graph)
    for value in function.inputs:
        write_type(graph.input.add(name=value.name), value.type)
    for name, type_ in zip(function.outputs, outputs, strict=True):
        write_type(graph.output.add(name=name), type_)
    named = {value.name for value in (*graph.input, *graph.output)}
    for node in function.body.nodes:
        for value in node.made():
            name = emitter.names[value]
            if name not in named and not isinstance(node, ir.Const) and value.type.is_known:
                type_ = function.body.declared.get(value) or _surely(node, value.type)
                write_type(graph.value_info.add(name=name), type_)
    return graph, emitter.imports


def _surely(node: ir.Node, type_: ir.Type) -> ir.Type:
    """What is true of a result on every path. The shape of what a branch or loop gives is that of the paths on which
    it is read; on others something of another shape may stand in for it."""
    if isinstance(node, (ir.If, ir.Loop)) and type_.element is not None:
        return ir.TensorType(type_.element)
    return type_


def emit_nodes(
    nodes: Sequence[ir.Node],
    opset: int,
    names: Mapping[ir.Value | None, str],
    graph: GraphProto,
    identify: Identify = own_identity,
    place_of: PlaceOf | None = None,
) -> dict[str, int]:
    """Adds nodes to a graph; `names` holds those of values made or read elsewhere. Gives the opset imports."""
    emitter = _Emitter(ir.Function("", "", 1, opset, None), identify, place_of)
    emitter.names.update(names)
    emitter.taken.update(names.values())
    for node in nodes:
        emitter.node(node, graph.node)
    return emitter.imports


class _Emitter:
    def __init__(
        self,
        function: ir.Function,
        identify: Identify = own_identity,
        place_of: PlaceOf | None = None,
        types: bool = False,
        called: Called | None = None,
    ) -> None:
        self.function = function
        self.called = Called() if called is None else called
        self.types = types  # whether graphs say the types that are declared of values inside
        self.identify = identify
        self.place_of = place_of
        self.places: dict[str, int] = {}  # how many nodes are named so
        self.names: dict[ir.Value | None, str] = {None: ""}  # an absent input or output has no name
        self.taken: set[str] = {value.name for value in function.inputs} | set(function.outputs)
        self.counts: dict[str, int] = {}
        self.imports: dict[str, int] = {"": function.opset}
        for value in function.inputs:
            self.names[value] = value.name

    def function_body(self, proto: FunctionProto | GraphProto) -> None:
        body, outputs = self.function.body, self.function.outputs
        copies: list[tuple[ir.Value, str]] = []
        for value, output in zip(body.yields, outputs, strict=True):
            if value in self.names:  # an input, or an output before
                copies.append((value, output))
            else:
                self.names[value] = output
        into = proto.node
        for node in body.nodes:
            if type(node) is ir.Call:
                self.call(node, into)
            else:
                self.node(node, into)
        for value, output in copies:
            self.copy(value, output, into)

    # ------------------------------------------------------------------------------------------- names

    def name(self, value: ir.Value, hint: str) -> str:
        found = self.names.get(value)
        if found is None:
            found = self.names[value] = self.fresh(value.name or hint)
        return found

    def fresh(self, hint: str) -> str:
        if hint not in self.taken:
            self.taken.add(hint)
            return hint
        count = self.counts.get(hint, 0)
        while True:
            count += 1
            candidate = f"{hint}_{count}"
            if candidate not in self.taken:
                self.counts[hint] = count
                self.taken.add(candidate)
                return candidate

    # ------------------------------------------------------------------------------------------- nodes

    def node(self, node: ir.Node, into: Nodes) -> None:
        _NODES.of(node)(node, self, into)

    def const(self, node: ir.Const, into: Nodes) -> None:
        proto = into.add()  # fields that are set one by one take half as long as arguments
        proto.output.append(self.name(node.result, "constant"))
        proto.op_type = CONSTANT.name
        attribute = proto.attribute.add()
        attribute.name, attribute.type = "value", AttributeProto.TENSOR
        write_tensor(attribute.t, node.data)

    def if_(self, node: ir.If, into: Nodes) -> None:
        proto = into.add(op_type=IF.name, input=[self.names[node.condition]])
        self.placed(node, proto)
        for name, region in (("then_branch", node.then), ("else_branch", node.orelse)):
            attribute = proto.attribute.add(name=name, type=AttributeProto.GRAPH)
            self.region(region, attribute.g, name)
        proto.output.extend(self.name(value, "joined") for value in node.results)

    def call(self, node: ir.Call, into: Nodes) -> None:
        callee, names, called = node.callee, self.names, self.called
        called.callees.add(callee)
        if len(node.results) > 1:
            called.gives_several = True
        proto = into.add()
        inputs = list(map(names.__getitem__, node.inputs))
        if isinstance(callee, ir.FunctionReference):
            domain, name, overload = self.identify(callee)
            self.imports[domain] = max(self.imports.get(domain, 1), callee.version)
            if overload:
                proto.overload = overload
            inputs += [""] * (len(callee.inputs) - len(inputs))  # onnx's evaluator wants all of them
        else:
            signature = callee.signature
            domain, name = signature.domain, signature.name
            if domain:
                self.imports[domain] = max(self.imports.get(domain, 1), signature.since_version)
            while inputs and not inputs[-1]:
                inputs.pop()
        proto.input.extend(inputs)
        proto.op_type = name
        if domain:
            proto.domain = domain
        if self.place_of is not None:
            self.placed(node, proto)
        for key, attribute in node.attributes.items():
            self.attribute(proto, key, attribute)
        output = proto.output
        for value in node.results:
            found = names.get(value)
            if found is None:
                assert value is not None
                found = value.name or name.lower()
                if found in self.taken:
                    found = self.fresh(found)
                else:
                    self.taken.add(found)
                names[value] = found
            output.append(found)

    def placed(self, node: ir.Node, proto: NodeProto) -> None:
        """Writes down where the node is made: runtimes show a node's name when it fails."""
        place = None if self.place_of is None else self.place_of(node)
        if place is not None:
            name = f"{place} {proto.op_type}"
            count = self.places[name] = self.places.get(name, 0) + 1
            proto.name = name if count == 1 else f"{name} {count}"
            proto.metadata_props.add(key=PLACE, value=place)

    def attribute(self, proto: NodeProto, key: str, attribute: ir.Attribute) -> None:
        made = proto.attribute.add()
        made.name = key
        code = attribute.kind.code
        made.type = _TYPES[code]
        if attribute.refers_to is not None:
            made.ref_attr_name = attribute.refers_to
            return
        value = attribute.value
        if isinstance(value, tuple):
            if _are_integers(value, code):
                made.ints.extend(value)
            elif _are_floats(value, code):
                made.floats.extend(value)
            else:
                assert _are_texts(value, code)
                made.strings.extend(item.encode() for item in value)
        elif code == AttributeProto.INT:
            assert isinstance(value, int)
            made.i = value
        elif code == AttributeProto.FLOAT:
            assert isinstance(value, (int, float))
            made.f = value
        elif isinstance(value, str):
            made.s = value.encode()
        elif isinstance(value, ir.TensorData):
            write_tensor(made.t, value)
        else:
            assert isinstance(value, ir.Region)
            self.region(value, made.g, key, ranks=True)

    def loop(self, node: ir.Loop, into: Nodes) -> None:
        inputs = [self.names[value] if value is not None else "" for value in (node.trips, node.condition)]
        inputs.extend(self.names[value] for value in node.initial)
        proto = into.add(op_type=LOOP.name, input=inputs)
        self.placed(node, proto)
        attribute = proto.attribute.add(name="body", type=AttributeProto.GRAPH)
        self.region(node.body, attribute.g, "body")
        proto.output.extend(self.name(value, "carried") for value in node.results)

    def region(self, region: ir.Region, graph: GraphProto, name: str, ranks: bool = False) -> None:
        """A subgraph; what it yields must be made in it and named once, so anything else is copied.

        `ranks`: the outputs have theirs, as far as they are known, which onnxruntime wants for Scan.
        """
        graph.name = name
        for parameter in region.parameters:
            info = graph.input.add(name=self.name(parameter, "carried"))
            _write_type(info, parameter.type, region.declared.get(parameter))
        produced = {value for node in region.nodes for value in node.made()}
        for node in region.nodes:
            self.node(node, graph.node)
        given: set[str] = set()
        for value in region.yields:
            output = self.names[value]
            if value not in produced or output in given:
                copy = self.fresh(f"{output}_out")
                self.copy(value, copy, graph.node)
                output = copy
            given.add(output)
            info = graph.output.add(name=output)
            promised = region.promised.get(value)
            _write_type(info, value.type, promised)
            if promised is None and ranks and value.type.shape is not None and info.type.tensor_type.elem_type:
                for _ in value.type.shape:
                    info.type.tensor_type.shape.dim.add()
        for value, type_ in region.declared.items() if self.types else ():
            if value in produced and self.names[value] not in given and type_.is_known:
                write_type(graph.value_info.add(name=self.names[value]), type_)

    def copy(self, value: ir.Value, output: str, into: Nodes) -> None:
        """`output = value`. Identity takes sequences since opset 14; before, an item is inserted and erased again."""
        source = self.names[value]
        item = value.type.sequence_item
        element = None if item is None else ir.known_element(item.element)
        if self.function.opset >= COPIES_SEQUENCES_SINCE or element is None:
            into.add(op_type=IDENTITY.name, input=[source], output=[output])
            return
        empty, longer = self.fresh(f"{output}_item"), self.fresh(f"{output}_longer")
        attribute = into.add(op_type=CONSTANT.name, output=[empty]).attribute.add(
            name="value", type=AttributeProto.TENSOR
        )
        write_tensor(attribute.t, ir.TensorData(element, (0,), () if element.kind == "string" else b""))
        into.add(op_type=SEQUENCE_INSERT.name, input=[source, empty], output=[longer])
        into.add(op_type=SEQUENCE_ERASE.name, input=[longer], output=[output])


_TYPES: dict[int, AttributeProto.AttributeType] = {
    code: code
    for code in (
        *(AttributeProto.FLOAT, AttributeProto.INT, AttributeProto.STRING, AttributeProto.TENSOR, AttributeProto.GRAPH),
        *(AttributeProto.FLOATS, AttributeProto.INTS, AttributeProto.STRINGS),
    )
}


def _are_integers(items: ir.AttributeItems, code: int) -> TypeGuard[tuple[int, ...]]:
    return code == AttributeProto.INTS


def _are_floats(items: ir.AttributeItems, code: int) -> TypeGuard[tuple[float, ...]]:
    return code == AttributeProto.FLOATS


def _are_texts(items: ir.AttributeItems, code: int) -> TypeGuard[tuple[str, ...]]:
    return code == AttributeProto.STRINGS


def _no_node(node: ir.Node, emitter: _Emitter, into: Nodes) -> None:
    raise AssertionError(f"{type(node).__name__} is not emitted")


_NODES: Operation[ir.Node, [_Emitter, Nodes], None] = Operation(_no_node)
_NODES.on(ir.Call)(lambda node, emitter, into: emitter.call(node, into))
_NODES.on(ir.Const)(lambda node, emitter, into: emitter.const(node, into))
_NODES.on(ir.If)(lambda node, emitter, into: emitter.if_(node, into))
_NODES.on(ir.Loop)(lambda node, emitter, into: emitter.loop(node, into))


def _write_type(info: onnx.ValueInfoProto, type_: ir.Type, declared: ir.Type | None = None) -> None:
    """The type that is declared; without one the element type where it is known, and the shape only where it is certain
    to be a scalar."""
    if declared is not None and declared.is_known:
        write_type(info, declared)
        return
    element = ir.known_element(type_.carried.element)
    if element is not None:
        info.type.tensor_type.elem_type = element.code
        if type_.carried_shape == ():
            info.type.tensor_type.shape.SetInParent()


def write_type(info: onnx.ValueInfoProto, type_: ir.Type) -> None:
    """The type with its shape, as far as both are known."""
    _fill_type(info.type, type_)


def _fill_type(proto: onnx.TypeProto, type_: ir.Type) -> None:
    if type_.sequence_item is not None:
        _fill_type(proto.sequence_type.elem_type, type_.sequence_item)
    elif type_.optional_item is not None:
        _fill_type(proto.optional_type.elem_type, type_.optional_item)
    elif type_.key is not None and type_.item is not None:
        proto.map_type.key_type = type_.key.code
        _fill_type(proto.map_type.value_type, type_.item)
    elif type_.carried.element is not None:
        _fill_tensor(proto.tensor_type, ir.known_element(type_.carried.element), type_.carried_shape)


def _fill_tensor(proto: onnx.TypeProto.Tensor, element: ElementType | None, shape: ir.Shape) -> None:
    if element is not None:
        proto.elem_type = element.code
    if shape is None:
        return
    proto.shape.SetInParent()
    for dimension in shape:
        dim, size = proto.shape.dim.add(), ir.size_of(dimension)
        if size is not None:
            dim.dim_value = size
        elif dimension is not None:
            dim.dim_param = str(dimension)


def write_tensor(proto: TensorProto, data: ir.TensorData) -> None:
    proto.data_type = data.element.code
    if data.dims:
        proto.dims.extend(data.dims)
    if data.texts is not None:
        proto.string_data.extend(data.texts)
    elif data.packed is not None:
        proto.raw_data = data.packed
