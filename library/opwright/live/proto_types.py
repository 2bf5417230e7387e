"""What callers must know of a function that exists as a proto: its interface, and the types that it takes and gives.

They are found by the compiler's own inference over the nodes; where that does not reach, types are unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from onnx import AttributeProto, FunctionProto, GraphProto, NodeProto, TensorShapeProto, TypeProto

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.elements import BY_CODE, BY_NAME
from opwright.graphs.ids import FunctionId
from opwright.graphs.inline import inline_into
from opwright.graphs.walk import all_nodes
from opwright.lang import ir
from opwright.lang.lower.calls.proto_graphs import call_graph
from opwright.lang.lower.calls.scan_ranks import rank_sources
from opwright.lang.lower.numbers.ranks import ranks_like
from opwright.lang.lower.state.context import Lowering
from opwright.lang.lower.state.poison import Poisoned
from opwright.lang.meaning.objects import GraphObject, Script, ScriptVariant
from opwright.lang.meaning.operands import Arguments
from opwright.lang.meaning.resolve import scope_without_text
from opwright.live.libraries import InstalledLibraries
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import CONSTANT
from opwright.opsets.signatures import AttributeSpec, Formal, Option, Signature, newest_opset, signature

# Of each output the inputs that say by theirs which rank it has, and the input whose very rank it has.
Ranks = tuple[tuple[tuple[int, ...] | None, ...], tuple[int | None, ...]]

_SPAN = (0, 0, 0, 0)
_KINDS = {kind.code: kind.value for kind in ir.AttributeKind}
_TENSORS = tuple(f"tensor({name})" for name in BY_NAME)
_ANYTHING = (*_TENSORS, *(f"{wrap}({item})" for wrap in ("seq", "optional") for item in _TENSORS))
# Operators with results whose types an attribute decides: where that is one of the function, a call decides them.
_TYPED_BY_ATTRIBUTE = ("to", "dtype", "output_dtype", "output_datatype", "stash_type", "value")
_LISTS = (AttributeProto.INTS, AttributeProto.FLOATS, AttributeProto.STRINGS)


def describe_proto(origin: object, proto: FunctionProto, callees: Mapping[FunctionId, FunctionProto]) -> Script:
    """The function as a call of it in a script sees it. `origin` is what the call refers to."""
    flat = FunctionProto()
    flat.CopyFrom(proto)
    given = {item.name: item.type for item in proto.value_info}
    names = list(proto.input)
    inputs, outputs, ranks = _types(flat, callees, given)
    attributes = _attributes(proto)
    made = Signature.__new__(Signature)
    made.domain, made.name, made.since_version = proto.domain, proto.name, 1
    made.deprecated, made.deterministic = False, False
    made.admitted = {}
    formals = []
    option = Option.REQUIRED if all(name in given for name in names) else Option.OPTIONAL
    for name, type_ in zip(names, inputs, strict=True):
        made.admitted[f"T_{name}"] = _admitted(type_)
        formals.append(Formal(name, f"T_{name}", option, True, 0))
    made.inputs = tuple(formals)
    made.outputs = tuple(Formal(name, "", Option.REQUIRED, False, 1) for name in proto.output)
    made.attributes = attributes
    made.min_inputs, made.max_inputs = 0, len(formals)
    made.min_outputs = made.max_outputs = len(proto.output)
    made.derive()
    values = tuple(ir.Value(type_, name) for name, type_ in zip(names, inputs, strict=True))
    variant = ScriptVariant((), (), made, values, tuple(outputs), tuple(attributes), False, *ranks)
    version = next((item.version for item in proto.opset_import if item.domain == proto.domain), 1)
    return Script(proto.domain, version, proto.name, tuple(names), False, made, (variant,), origin)


def _admitted(type_: ir.Type) -> tuple[str, ...]:
    """The ONNX types of an input; any where nothing is known of it."""
    if isinstance(type_, ir.TensorType):
        element = ir.settle(type_.element)
        elements = element.elements if isinstance(element, ir.TypeVariable) else (element,)
        return tuple(f"tensor({item.name})" for item in elements)
    if isinstance(type_, ir.SequenceType) and isinstance(type_.item, ir.TensorType):
        return tuple(f"seq({item})" for item in _admitted(type_.item))
    if isinstance(type_, ir.OptionalType):
        return tuple(f"optional({item})" for item in _admitted(type_.item))
    return _ANYTHING


def _attributes(proto: FunctionProto) -> dict[str, AttributeSpec]:
    """The attributes: those with a default, then those without, whose kinds their uses say."""
    kinds: dict[str, str] = {}
    for node in all_nodes(proto.node):
        for item in node.attribute:
            if item.ref_attr_name:
                kinds.setdefault(item.ref_attr_name, AttributeProto.AttributeType.Name(item.type))
    found = {
        name: AttributeSpec(name, kinds.get(name, "FLOAT"), False, None) for name in proto.attribute if name in kinds
    }
    for item in proto.attribute_proto:
        found[item.name] = AttributeSpec(item.name, AttributeProto.AttributeType.Name(item.type), False, None)
    return found


# ------------------------------------------------------------------------------------------------------- types


def _types(
    flat: FunctionProto, callees: Mapping[FunctionId, FunctionProto], given: Mapping[str, TypeProto]
) -> tuple[list[ir.Type], list[ir.Type], Ranks]:
    """The types of inputs and outputs: those that are declared, else those that inference finds. With them the inputs
    whose ranks say those of the outputs."""
    nothing = (None,) * len(flat.output)
    unknown: Ranks = (nothing, nothing)
    declared = [_declared(given[name]) if name in given else ir.UnknownType() for name in flat.input]
    outputs = [
        _declared(given[name]).with_tensors(_without_sizes) if name in given else ir.UnknownType()
        for name in flat.output
    ]
    if all(name in given for name in (*flat.input, *flat.output)):
        return declared, outputs, unknown
    inputs = []
    try:
        inline_into(flat, callees.get)
        graph = _as_graph(flat)
        kinds = zip(flat.input, declared, strict=True)
        inputs = [ir.Value(type_ if type_.is_known else _kind(flat, name), name) for name, type_ in kinds]
        inferred = None if graph is None else _infer(flat, graph, inputs)
    except (DiagnosticError, Poisoned):
        inferred = None
    if inferred is None:
        return declared, [ir.UnknownType() for _ in flat.output], unknown
    return [value.type for value in inputs], *inferred


def _as_graph(flat: FunctionProto) -> GraphProto | None:
    """The body as a graph, attributes of the function left out of it; None where an attribute decides types."""
    graph = GraphProto(name=flat.name)
    graph.node.extend(flat.node)
    for node in all_nodes(graph.node):
        kept = []
        for item in node.attribute:
            if not item.ref_attr_name:
                kept.append(item)
            elif CONSTANT.describes(node) and item.name != "value":
                if item.type in _LISTS:
                    return None  # how many there are is a part of the type
                kept.append(AttributeProto(name=item.name, type=item.type))
            elif item.name in _TYPED_BY_ATTRIBUTE:
                return None
        del node.attribute[:]
        node.attribute.extend(kept)
    for name in flat.input:
        graph.input.add(name=name)
    for name in flat.output:
        graph.output.add(name=name)
    return graph


def _kind(flat: FunctionProto, name: str) -> ir.Type:
    """What an input is, by the first operator that reads it: a tensor, a sequence, an optional."""
    imports = {normal_domain(item.domain): item.version for item in flat.opset_import}
    tensor = ir.TensorType(ir.TypeVariable(f"T_{name}", rigid=False))
    for node in all_nodes(flat.node):
        if name not in node.input:
            continue
        admitted = _admitted_there(node, list(node.input).index(name), imports)
        if admitted and all(text.startswith("seq(") for text in admitted):
            return ir.SequenceType(tensor)
        if admitted and all(text.startswith("tensor(") for text in admitted):
            return tensor
        if admitted and all(text.startswith("optional(") for text in admitted):
            return ir.OptionalType(tensor)
    return tensor


def _admitted_there(node: NodeProto, index: int, imports: Mapping[str, int]) -> tuple[str, ...]:
    domain = normal_domain(node.domain)
    version = imports.get(domain, 0)
    found = signature(domain, node.op_type, version) if 0 < version <= newest_opset(domain) else None
    if found is None or not found.inputs:
        return ()
    formal = found.inputs[min(index, len(found.inputs) - 1)]
    return found.admitted.get(formal.type, (formal.type,))


def _infer(flat: FunctionProto, graph: GraphProto, inputs: Sequence[ir.Value]) -> tuple[list[ir.Type], Ranks] | None:
    """The types of the outputs, in terms of those of the inputs, and whose ranks say theirs; None where they are not
    known. Raises DiagnosticError, Poisoned."""
    imports = {normal_domain(item.domain): item.version for item in flat.opset_import}
    scope = scope_without_text(flat.name, InstalledLibraries())
    low = Lowering(scope, ir.Function("", flat.name, 1, imports.get("", newest_opset()), None), {}, {})
    arguments = Arguments([(value, _SPAN) for value in inputs], {}, None, _SPAN, _SPAN)
    found = call_graph(low, GraphObject(graph, imports), arguments, {})
    results = found if isinstance(found, tuple) else (found,)
    values = [item for item in results if isinstance(item, ir.Value)]
    if low.diagnostics or len(values) != len(flat.output):
        return None
    low.function.inputs = list(inputs)
    low.function.body.nodes[:0] = low.prologue.nodes
    low.function.body.yields = values
    ranks = rank_sources(low.function, values), ranks_like(low.function, values)
    return [item.type for item in values], ranks


def _declared(proto: TypeProto) -> ir.Type:
    """A declared type, with the sizes that the body may rely on."""
    if proto.HasField("sequence_type"):
        return ir.SequenceType(_declared(proto.sequence_type.elem_type))
    if proto.HasField("optional_type"):
        return ir.OptionalType(_declared(proto.optional_type.elem_type))
    if not proto.HasField("tensor_type") or proto.tensor_type.elem_type not in BY_CODE:
        return ir.UnknownType()
    tensor = proto.tensor_type
    sizes = tuple(map(_size, tensor.shape.dim)) if tensor.HasField("shape") else None
    return ir.TensorType(BY_CODE[tensor.elem_type], sizes)


def _size(dim: TensorShapeProto.Dimension) -> ir.Dimension:
    """Some exporters write -1 where a size is not known."""
    if dim.HasField("dim_value"):
        return dim.dim_value if dim.dim_value >= 0 else None
    return dim.dim_param or None


def _without_sizes(type_: ir.TensorType) -> ir.Type:
    """The type of a result, with its rank alone: runtimes let sizes that a model declares of its results be wrong."""
    return ir.TensorType(type_.element, type_.shape and (None,) * len(type_.shape))
