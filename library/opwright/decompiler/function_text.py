"""FunctionProtos as functions under `@script`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, StringStringEntryProto

from opwright.decompiler.attribute_kinds import Kinds, attribute_kinds
from opwright.decompiler.attribute_text import attribute_text
from opwright.decompiler.body import Body
from opwright.decompiler.collected_types import alone, collected_types, open_conditions
from opwright.decompiler.declared_ranks import ranks_by_length
from opwright.decompiler.function_opsets import refuse_other_operators
from opwright.decompiler.layout import def_lines, return_lines
from opwright.decompiler.literal_text import quoted
from opwright.decompiler.operator_forms import Form, Forms
from opwright.decompiler.parts import Parts
from opwright.decompiler.python_names import UNUSED, Names, is_python_name
from opwright.decompiler.refuse import refuse, refuse_unclear
from opwright.decompiler.text_of import block, docstring, mapping_text
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.graphs.distinct_names import with_distinct_names
from opwright.graphs.ids import FunctionId, call_id, callees_first, function_id
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.link.metadata import OF_FUNCTIONS
from opwright.opsets.records import IF

_ANNOTATIONS: dict[int, str] = {
    AttributeProto.INT: "int",
    AttributeProto.FLOAT: "float",
    AttributeProto.STRING: "str",
    AttributeProto.INTS: "Sequence[int]",
    AttributeProto.FLOATS: "Sequence[float]",
    AttributeProto.STRINGS: "Sequence[str]",
}


def write_functions(
    protos: list[FunctionProto], parts: Parts, forms: Forms, faithful: bool, nodes: Sequence[NodeProto] = ()
) -> list[str]:
    """The functions in their order, callees first; calls of them are known to `forms` from then on. `nodes` are those
    of the graph that calls them."""
    lines: list[str] = []
    _refuse_omitted_attributes(protos, nodes)
    refuse_other_operators(protos, forms)
    omitted = _omitted_inputs(protos, nodes)
    kinds = attribute_kinds(protos, nodes)
    for proto in callees_first({function_id(item): item for item in protos}, _recursion):
        name = parts.fresh(f"{proto.name}_{proto.overload}" if proto.overload else proto.name)
        optional = omitted[proto.domain, proto.name, proto.overload]
        proto = with_distinct_names(proto, parts.columns)
        lines += ["", "", *_function(proto, name, optional, kinds.get(function_id(proto), {}), parts, forms, faithful)]
        form = Form(f"{name}(", None, proto.name)
        form.least = len(proto.output)
        form.listed = frozenset(_attribute_names(proto))
        forms.add_function((proto.domain, proto.name, proto.overload), form)
    return lines[2:]


def own_metadata(proto: FunctionProto) -> list[StringStringEntryProto]:
    """The metadata of a function, but for the linker's records: those go with others, of nodes, that no text keeps."""
    return [item for item in proto.metadata_props if item.key not in OF_FUNCTIONS]


def note_attributes(protos: Iterable[FunctionProto], parts: Parts) -> None:
    """Notes the names of attributes, which are names in Python as they are: nothing of the module is called so."""
    parts.attributes_of_functions.update(name for proto in protos for name in _attribute_names(proto))


def _refuse_omitted_attributes(protos: Sequence[FunctionProto], nodes: Sequence[NodeProto]) -> None:
    """Raises DiagnosticError (OW590) where a call leaves out an attribute that has no default. Of what reads it, each
    then has its own default, or none: no parameter says that."""
    required = {function_id(item): (item.name, item.attribute[:]) for item in protos if item.attribute}
    for body in (nodes, *(item.node for item in protos)) if required else ():
        for node in all_nodes(body):
            name, attributes = required.get(call_id(node), ("", []))
            missing = [item for item in attributes if item not in {attribute.name for attribute in node.attribute}]
            if missing:
                what = f"a call of the function {name} without its attribute {missing[0]!r} cannot be written"
                raise refuse(what, "the function has no default of it, and a script must give what has none")


def _omitted_inputs(protos: Sequence[FunctionProto], nodes: Sequence[NodeProto]) -> dict[FunctionId, set[str]]:
    """The inputs of each function that some call leaves out: a proto itself does not say which may be."""
    inputs = {(item.domain, item.name, item.overload): list(item.input) for item in protos}
    found: dict[FunctionId, set[str]] = {key: set() for key in inputs}
    for body in (nodes, *(item.node for item in protos)) if protos else ():
        for node in all_nodes(body):
            formals = inputs.get((node.domain, node.op_type, node.overload))
            if formals is not None and (len(node.input) < len(formals) or "" in node.input):
                given = [*node.input, *[""] * (len(formals) - len(node.input))]
                found[node.domain, node.op_type, node.overload].update(
                    name for name, value in zip(formals, given, strict=False) if not value
                )
    return found


def _recursion(identity: FunctionId) -> DiagnosticError:
    return refuse(f"the function {identity[1]} calls itself", "a function of ONNX may not")


def maybe_uncalled(model: ModelProto) -> list[FunctionProto]:
    """The functions of a model that calls may not lead to once it is compiled again, callees first. The compiler drops
    calls whose results nothing reads, and knows better than we what nothing reads of what loops carry."""
    by_id = {function_id(item): item for item in model.functions}
    pending = _live_calls(model.graph.node, [item.name for item in model.graph.output]) if by_id else []
    while pending:
        found = by_id.pop(pending.pop(), None)
        pending += _live_calls(found.node, found.output) if found is not None else ()
    return callees_first(by_id, _recursion)


def _live_calls(nodes: Sequence[NodeProto], outputs: Iterable[str]) -> list[FunctionId]:
    """What nodes call whose results the outputs need; of graphs inside, those of branches alone are looked into."""
    calls: list[FunctionId] = []
    _note_live(nodes, set(outputs), calls)
    return calls


def _note_live(nodes: Sequence[NodeProto], read: set[str], calls: list[FunctionId]) -> None:
    """Backwards over the nodes of a graph, which come behind those that they read. `read` grows with what they read."""
    for node in reversed(nodes):
        live = [name in read for name in node.output]
        if not any(live):
            continue
        calls.append(call_id(node))
        read.update(node.input)
        for branch in subgraphs(node) if IF.describes(node) else ():
            inner = {item.name for item in compress(branch.output, live)}
            _note_live(branch.node, inner, calls)
            read.update(inner.difference(name for made in branch.node for name in made.output))


def _function(
    proto: FunctionProto, name: str, optional: set[str], kinds: Kinds, parts: Parts, forms: Forms, faithful: bool
) -> Iterator[str]:
    refuse_unclear(proto.input, proto.output, f"the inputs and outputs of the function {proto.name}")
    attribute_names = _attribute_names(proto)
    for attribute in attribute_names:
        if attribute in parts.taken and attribute not in UNUSED:
            reason = "the text needs the name for something else"
            raise refuse(f"the attribute {attribute!r} of the function {proto.name} cannot be written", reason)
    names = Names(parts.taken, attribute_names)
    renamed: dict[str, str] = {}
    for item in (*proto.input, *proto.output):
        found = names.keep(item)
        if found != item:
            renamed[found] = item
    shared = [item for item in proto.output if item in proto.input]
    if shared or len(set(proto.output)) < len(proto.output):
        raise refuse(f"an output of the function {proto.name} is an input or another output", "each has a name")
    parts.attribute_names = {item: item for item in _attribute_names(proto)}
    sequences = _sequences(proto, forms)
    if sequences:
        parts.types.update(("Sequence", "Tensor"))
    parameters = [f"{names[item]}: Sequence[Tensor]" if item in sequences else names[item] for item in proto.input]
    attributes = list(_attributes(proto, parts, kinds))
    first = next((index for index, item in enumerate(proto.input) if item in optional), len(parameters))
    parameters[first:] = [  # Python wants a default of all that follow one
        f"{text} = None" if item in sequences else f"{text}=None"
        for text, item in zip(parameters[first:], proto.input[first:], strict=True)
    ]
    if optional and attributes:
        parameters.append("*")
    parameters.extend(attributes)
    own = {item: "" if item in sequences else f"={item}" for item in proto.input}  # the types of inputs are their own
    nodes = parts.columns(proto)
    body = Body(parts, forms, names, nodes, own, faithful, typed=False)
    looping = alone(proto)
    body.collected, body.conditions = collected_types(looping), open_conditions(looping)
    body.annotations = ranks_by_length(proto, forms, parts.types)
    body.note_untyped(proto.node)
    if not body.untyped.isdisjoint(proto.output):
        forms.untyped.add((proto.domain, proto.name, proto.overload))
    body.nodes(nodes, "    ", frozenset(proto.output))
    decorator = [f"Opset({quoted(proto.domain)}, {forms.version_of(proto.domain)})"]
    parts.types.add("Opset")
    if name != proto.name:
        decorator.append(f"name={quoted(proto.name)}")
    if proto.overload:
        decorator.append(f"overload={quoted(proto.overload)}")
    if renamed:
        decorator.append(f"names={mapping_text(renamed)}")
    yield f"@script({', '.join(decorator)})"
    yield from def_lines("", name, parameters)
    yield from docstring(proto.doc_string)
    yield from body.lines
    yield from return_lines("    ", [names[item] for item in proto.output])
    if proto.doc_string and not docstring(proto.doc_string):
        yield from ("", "", f"{name}.__doc__ = {block(proto.doc_string, parts)}")


def _sequences(proto: FunctionProto, forms: Forms) -> set[str]:
    """The inputs that are sequences: those that an operator takes which takes nothing else there."""
    inputs, found = set(proto.input), set()
    for node in all_nodes(proto.node):
        for index, name in enumerate(node.input):
            if name in inputs and (node.domain, node.op_type, node.overload) not in forms.local:
                formal = forms[node.domain, node.op_type].formal(index)
                if formal is not None and formal.sequence:
                    found.add(name)
    return found


def _attribute_names(proto: FunctionProto) -> list[str]:
    found = [*proto.attribute, *(item.name for item in proto.attribute_proto)]
    for name in found:
        if not is_python_name(name) or name == "__debug__":
            raise refuse(f"the attribute {name!r} of the function {proto.name} has no name in Python", "it needs one")
    return found


def _attributes(proto: FunctionProto, parts: Parts, kinds: Kinds) -> Iterator[str]:
    """The attributes as parameters: required ones first, as Python wants it. `kinds` are the types of those."""
    for name in proto.attribute:
        yield f"{name}: {_annotation(kinds[name], name, proto, parts)}"
    for item in proto.attribute_proto:
        yield f"{name_and_kind(item, proto, parts)} = {_default(item, proto, parts)}"


def name_and_kind(item: AttributeProto, proto: FunctionProto, parts: Parts) -> str:
    return f"{item.name}: {_annotation(item.type, item.name, proto, parts)}"


def _annotation(kind: int, name: str, proto: FunctionProto, parts: Parts) -> str:
    found = _ANNOTATIONS.get(kind)
    if found is None:
        what = AttributeProto.AttributeType.Name(kind)
        raise refuse(f"the attribute {name!r} of the function {proto.name} cannot be declared", f"it is of type {what}")
    if found.startswith("Sequence"):
        parts.types.add("Sequence")
    return found


def _default(item: AttributeProto, proto: FunctionProto, parts: Parts) -> str:
    """The value of an attribute that a call need not give; a list as a tuple where it stands in place."""
    if item.type == AttributeProto.INT:
        return repr(item.i)
    text = attribute_text(item, item.type, item.name, proto.name, parts)
    if item.type not in (AttributeProto.FLOATS, AttributeProto.INTS) or text[0] != "[":
        return text
    items = item.floats if item.type == AttributeProto.FLOATS else item.ints
    return f"({text[1:-1]}{',' if len(items) == 1 else ''})"
