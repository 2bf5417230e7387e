"""Ranks that must be declared: Scan wants those of all that its body gives, and some follow from values alone, others
from nothing but the types that graphs declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, ValueInfoProto

from opwright.decompiler.inner_types import forget_types, without_weights
from opwright.decompiler.literal_text import constant_value
from opwright.decompiler.operator_forms import Forms
from opwright.elements import BY_CODE
from opwright.graphs.model_inference import infer_model
from opwright.graphs.walk import all_graphs, all_nodes, subgraphs
from opwright.lang import ir
from opwright.lang.infer.of_protos import attributes_of, node_types
from opwright.lang.infer.result_ranks import count_of
from opwright.link.inferred_parts import inferred_graphs
from opwright.opsets.domains import normal_domain
from opwright.opsets.record import RankRule
from opwright.opsets.records import CONSTANT, RECORDS, SCAN, record_of

_BY_VALUE = frozenset(item.name for item in RECORDS.values() if item.ranked_by_length)


def declared_ranks(model: ModelProto, used: set[str]) -> dict[str, str]:
    """Annotations of values by name, for a model with a Scan: what ONNX's inference finds where values say the rank, or
    the compiler has no rule for it, and what bodies of Scans declare where it finds none."""
    nodes = [*all_nodes(model.graph.node)]
    wanted = {node.output[0] for node in nodes if node.op_type in _BY_VALUE}
    wanted |= _needed(nodes).intersection(name for node in nodes if _is_uncertain(node) for name in node.output)
    inferred = infer_model(model, data_prop=True)
    graphs = [] if inferred is None else [*all_graphs(inferred)]
    values = [item for graph in graphs for item in (*graph.value_info, *graph.output)]
    texts = {value.name: _ranked(value, used) for value in _of_scans(model)}
    texts.update((value.name, text) for value in values if value.name in wanted and (text := _ranked(value, used)))
    return {name: text for name, text in texts.items() if text}


def _needed(nodes: Sequence[NodeProto]) -> set[str]:
    """The names of what Scans take, of all inside them, and of what that is computed from; nodes come behind what they
    read, and behind the nodes around them."""
    needed: set[str] = set()
    for node in reversed(nodes):
        graphs = [*subgraphs(node)]
        taken = chain.from_iterable(_names(graph.input) for graph in graphs)  # by a Scan inside, it may be
        if SCAN.describes(node) or not needed.isdisjoint(chain(node.output, taken)):
            needed.update(node.input)
            for inner in chain.from_iterable(all_nodes(graph.node) for graph in graphs):
                needed.update(inner.input, inner.output)
    return needed


def _is_uncertain(node: NodeProto) -> bool:
    """Whether the compiler has no rule for the rank of what a node gives; ONNX may have one, or follow it through
    sequences and functions."""
    record = record_of(normal_domain(node.domain), node.op_type)
    return _hides_ranks(node) and not record.is_control_flow


def _ranked(value: ValueInfoProto, used: set[str]) -> str:
    """The rank of a value as an annotation; empty where its type says none."""
    tensor = value.type.tensor_type
    if not tensor.HasField("shape") or tensor.elem_type not in BY_CODE:
        return ""
    name = BY_CODE[tensor.elem_type].name.upper()
    used.add(name)
    rank = len(tensor.shape.dim)
    return f"{name}[{', '.join(['None'] * rank)}]" if rank else name


def _of_scans(model: ModelProto) -> list[ValueInfoProto]:
    """What bodies of Scans are declared to take, where ranks of what they give do not follow from what is around; and
    to give, where they do not follow from that either."""
    light = without_weights(model)
    forget_types(light)
    unranked = _unranked(light)
    bodies = [body for body in _scans(model.graph) if not unranked.isdisjoint(_names(body.output))]
    found = [value for body in bodies for value in body.input]
    if found:
        types = {value.name: value.type for value in found}
        for value in (value for body in _scans(light.graph) for value in body.input if value.name in types):
            value.type.CopyFrom(types[value.name])
        unranked = _unranked(light)
        found += (value for body in _scans(model.graph) for value in body.output if value.name in unranked)
    return found


def _unranked(model: ModelProto) -> set[str]:
    """The names of all that bodies of Scans give, but for those whose ranks ONNX finds."""
    given = {name for body in _scans(model.graph) for name in _names(body.output)}
    for graph in inferred_graphs(model):
        for body in _scans(graph):
            given.difference_update(value.name for value in body.output if value.type.tensor_type.HasField("shape"))
    return given


def _scans(graph: GraphProto) -> Iterator[GraphProto]:
    """The bodies of all Scans."""
    return (body for node in all_nodes(graph.node) if SCAN.describes(node) for body in subgraphs(node))


def _names(values: Iterable[ValueInfoProto]) -> Iterator[str]:
    return (value.name for value in values)


def ranks_by_length(function: FunctionProto, forms: Forms, used: set[str]) -> dict[str, str]:
    """The same of a function with a Scan, whose inputs have no types: shapes whose length is known say the rank, and so
    does what its body declares.

    Inputs are taken to have the dimensions that are asked of their shapes.
    """
    bodies = [body for node in all_nodes(function.node) if SCAN.describes(node) for body in subgraphs(node)]
    if not bodies:
        return {}
    values = {name: _tensor(name) for name in function.input}
    contents: dict[ir.Value, ir.TensorData] = {}
    found = _declared_by(bodies, used)
    for node in all_nodes(function.node):
        signature = forms.signature_of(node)
        if signature is None or not signature.outputs:
            continue
        inputs = [values.get(name) or _tensor(name) if name else None for name in node.input]
        types = node_types(signature, inputs, attributes_of(node.attribute), len(node.output), contents, trusting=True)
        for name, type_ in zip(node.output, types, strict=True):
            values[name] = _tensor(name) if isinstance(type_, ir.UnknownType) else ir.Value(type_)
        if CONSTANT.describes(node) and (tensor := _tensor_of(node)) is not None:
            contents[values[node.output[0]]] = tensor
        shape = _SHAPES.get(signature.record.rank)
        rank = None if shape is None or len(inputs) <= shape else count_of(inputs[shape])
        if rank:
            used.add("Tensor")
            found[node.output[0]] = f"Tensor[{', '.join(['None'] * rank)}]"
    return found


def _declared_by(bodies: Sequence[GraphProto], used: set[str]) -> dict[str, str]:
    """The declared ranks of what bodies take; and of what they give, where those may not follow."""
    found: dict[str, str] = {}
    for body in bodies:
        hides = any(_hides_ranks(node) or node.op_type in _BY_VALUE for node in all_nodes(body.node))
        for value in chain(body.input, body.output if hides else ()):
            text = _ranked(value, used)
            if text:
                found[value.name] = text
    return found


def _hides_ranks(node: NodeProto) -> bool:
    record = record_of(normal_domain(node.domain), node.op_type)
    return record.rank is RankRule.UNKNOWN and record is not CONSTANT


_SHAPES = {RankRule.RESHAPED: 1, RankRule.FILLED: 0}  # which input is the shape of the result


def _tensor(name: str) -> ir.Value:
    """A value of which nothing is known."""
    return ir.Value(ir.TensorType(ir.TypeVariable(name, rigid=False)))


def _tensor_of(node: NodeProto) -> ir.TensorData | None:
    """The integers that a Constant gives; None of other tensors, and where the function's attributes decide."""
    attribute = node.attribute[0] if len(node.attribute) == 1 else None
    constant = None if attribute is None or attribute.ref_attr_name else constant_value(attribute)
    if constant is None or constant.element.name != "int64":
        return None
    return ir.TensorData(constant.element, tuple(constant.array.shape), constant.array.tobytes())
