"""One node of the IR as a single-node model: what an evaluator loads and runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onnx import GraphProto, ModelProto, TypeProto, ValueInfoProto, helper

from opwright.eager.arrays import Data
from opwright.graphs.walk import all_nodes
from opwright.lang import ir
from opwright.lang.emit import Identify, PlaceOf, emit_nodes, own_identity
from opwright.opsets.signatures import Signature, last_opset, newest_opset

if TYPE_CHECKING:
    from opwright.live.closure import Closure

_IR_VERSION = 10  # the lowest with overloads, which functions from elsewhere may have


@dataclass(frozen=True, slots=True)
class Task:
    """A node to run at an opset, on data: one for each of `inputs`, the values that it reads, inner ones included.

    Two tasks of the same `key` differ in their data alone; None where nothing can be kept.
    """

    node: ir.Node
    opset: int
    inputs: tuple[ir.Value, ...]
    data: tuple[Data, ...]
    key: tuple[object, ...] | None
    place_of: PlaceOf | None = None  # of the nodes of its graphs

    @property
    def name(self) -> str:
        node = self.node
        return node.callee.identity[1] if isinstance(node, ir.Call) else type(node).__name__

    def signatures(self) -> Iterator[Signature]:
        """The operators of the node and of the regions in it."""
        around = ir.Region()
        around.nodes.append(self.node)
        for _, node in ir.walk(around):
            operator = node.callee if isinstance(node, ir.Call) else node.operator
            if isinstance(operator, ir.Operator):
                yield operator.signature

    def opsets(self) -> tuple[int, int]:
        """The first and the last default-domain opset at which the node means exactly the same."""
        if self._calls_functions():
            return self.opset, self.opset
        first, last = 1, newest_opset()
        for signature in self.signatures():
            if signature.domain == "":
                first = max(first, signature.since_version)
                last = min(last, last_opset("", signature.name, signature.since_version))
        return first, last

    def model(self, opset: int) -> ModelProto:
        """The model at that opset, one of `opsets()`: inputs `i0`, `i1`... of known types, outputs `o0`, `o1`..."""
        names: dict[ir.Value | None, str] = {value: f"i{index}" for index, value in enumerate(self.inputs)}
        results = self.node.made()
        names |= {value: f"o{index}" for index, value in enumerate(results)}
        graph = helper.make_graph(
            [],
            "eager",
            [
                helper.make_value_info(f"i{index}", type_proto(value.type, shaped=self.key is None))
                for index, value in enumerate(self.inputs)
            ],
            [ValueInfoProto(name=f"o{index}") for index in range(len(results))],
        )
        if not self._calls_functions():
            imports = [helper.make_opsetid(*item) for item in self._emit(opset, names, graph).items()]
            lowest = helper.find_min_ir_version_for(imports, ignore_unknown=True)
            return helper.make_model(graph, opset_imports=imports, ir_version=lowest)
        from opwright.live.closure import Closure
        from opwright.live.compiled import Run

        closure = Closure(Run(opset), None)
        imports = [helper.make_opsetid(*item) for item in self._emit(opset, names, graph, closure.identify).items()]
        return _with_functions(helper.make_model(graph, opset_imports=imports, ir_version=_IR_VERSION), closure)

    def _emit(
        self,
        opset: int,
        names: dict[ir.Value | None, str],
        graph: GraphProto,
        identify: Identify = own_identity,
    ) -> dict[str, int]:
        return emit_nodes([self.node], opset, names, graph, identify, self.place_of)

    def _calls_functions(self) -> bool:
        if isinstance(self.node, ir.Call) and not self.node.regions():
            return False
        return _calls_functions(self.node)


def type_proto(type_: ir.Type, shaped: bool) -> TypeProto:
    """The ONNX type: with the rank, by which a runtime finds on loading what stops its kernels; or with the shape,
    without which some graphs are refused."""
    if isinstance(type_, ir.TensorType):
        element = ir.settle(type_.element)
        assert not isinstance(element, ir.TypeVariable), "a concrete tensor of an unknown type"
        shape = type_.shape if shaped or type_.shape is None else [None] * len(type_.shape)
        return helper.make_tensor_type_proto(element.code, shape)
    if isinstance(type_, ir.SequenceType):
        return helper.make_sequence_type_proto(type_proto(type_.item, False))
    if isinstance(type_, ir.MapType):
        return helper.make_map_type_proto(type_.key.code, type_proto(type_.item, False))
    assert isinstance(type_, ir.OptionalType), type_
    return helper.make_optional_type_proto(type_proto(type_.item, False))


def make_task(node: ir.Node, opset: int, data: dict[ir.Value, Data], place_of: PlaceOf | None = None) -> Task:
    """The task of a node whose operands and captured values have data."""
    inputs = tuple(_read(node))
    key = _key(node, inputs)
    return Task(node, opset, inputs, tuple(data[value] for value in inputs), key, place_of if key is None else None)


def _read(node: ir.Node) -> dict[ir.Value, None]:
    """The values from outside that the node and its regions read, in order."""
    found = dict.fromkeys(node.read())
    regions = node.regions()
    if not regions:
        return found
    around = ir.Region()
    around.nodes.append(node)
    made: set[ir.Value] = set()
    for region in regions:
        made.update(region.parameters)
    for _, inner in ir.walk(around):
        made.update(inner.made())
        for region in inner.regions():
            made.update(region.parameters)
    for _, inner in ir.walk(around):
        found.update(dict.fromkeys(inner.read()))
        for region in inner.regions():
            found.update(dict.fromkeys(region.yields))
    return {value: None for value in found if value not in made}


def _key(node: ir.Node, inputs: tuple[ir.Value, ...]) -> tuple[object, ...] | None:
    if not isinstance(node, ir.Call) or not isinstance(node.callee, ir.Operator):
        return None
    attributes: list[object] = []
    for name, attribute in node.attributes.items():
        if isinstance(attribute, ir.AttributeReference) or isinstance(attribute.value, ir.Region):
            return None
        attributes.append((name, attribute.kind, _attribute_key(attribute.value)))
    signature = node.callee.signature
    positions = {value: index for index, value in enumerate(inputs)}
    shared = tuple(None if value is None else positions[value] for value in node.inputs)
    types = tuple(_type_key(value.type) for value in inputs)
    identity = (signature.domain, signature.name, signature.since_version)
    return (identity, tuple(attributes), shared, types, len(node.results))


def _attribute_key(value: Any) -> object:
    """Equal for equal attributes alone: 0.0 is not -0.0, and nan is nan."""
    if isinstance(value, ir.TensorData):
        return value.key
    if isinstance(value, float):
        return value.hex()
    return tuple(map(_attribute_key, value)) if isinstance(value, tuple) else value


def _type_key(type_: ir.Type) -> object:
    if isinstance(type_, ir.TensorType):
        return (ir.settle(type_.element), type_.rank)
    item = _type_key(type_.item) if isinstance(type_, (ir.SequenceType, ir.OptionalType, ir.MapType)) else None
    return (type(type_), item, type_.key if isinstance(type_, ir.MapType) else None)


def _calls_functions(node: ir.Node) -> bool:
    """Whether a node or one in its graphs calls a function: under `@script`, of a library, or one that is a proto."""
    around = ir.Region()
    around.nodes.append(node)
    return any(
        isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionReference) for _, item in ir.walk(around)
    )


def _with_functions(model: ModelProto, closure: Closure) -> ModelProto:
    """The model with the functions of `closure` in place of their calls, which not every evaluator follows."""
    from onnx.inliner import inline_local_functions  # which few operations need

    imports = {item.domain: item.version for item in model.opset_import}
    model.functions.extend(closure.protos(imports))
    known = {item.domain: item.version for proto in model.functions for item in proto.opset_import}
    known.update(imports)
    del model.opset_import[:]
    model.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in sorted(known.items()))
    flat = inline_local_functions(model)
    used = {"", *(node.domain for node in all_nodes(flat.graph.node))}
    kept = [item for item in flat.opset_import if item.domain in used]
    del flat.opset_import[:]
    flat.opset_import.extend(kept)
    return flat
