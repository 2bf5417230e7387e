"""Types that the bodies of loops must say of what they take and give.

What a Loop collects has the shape of its trips' values, and where there is no trip, that which runtimes know of them:
from the types that the model declares in the body, which a text says where nothing else does. The condition that a body
takes must have a known rank in onnxruntime: that of the one which enters, or where none does or nothing says its rank,
the declared one.
"""

from __future__ import annotations

from collections.abc import Iterator

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TypeProto, ValueInfoProto

from opwright.decompiler.inner_types import forget_types, without_weights
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.link.inferred_parts import inferred_graphs
from opwright.opsets.records import LOOP

Key = tuple[tuple[str, ...], ...]  # names of what a body gives, then the operators and values of its nodes
Types = dict[Key, list[TypeProto]]


def key_of(body: GraphProto) -> Key:
    """What tells a body from others, and inference does not change."""
    outputs = tuple(item.name for item in body.output)
    return outputs, *((node.op_type, *node.input, "", *node.output) for node in body.node)


def collected_types(model: ModelProto) -> Types:
    """The types of all that bodies of loops give, where shapes of what is collected do not follow from what is around:
    of what is carried without the shapes. Shapes that inference finds to be wrong are left out, and bodies that differ
    in the types alone."""
    bodies = [*_bodies(model.graph)]
    if not bodies:
        return {}
    light = without_weights(model)
    known = _types_of_bodies(light)
    for body in bodies:
        known.setdefault(key_of(body), [[item.type for item in body.output]])
    for graph in _graphs_inside(light):
        del graph.value_info[:]
        for value in graph.output:
            _forget_shape(value.type)
    by_inputs = _types_of_bodies(light)
    for graph in _graphs_inside(light):
        for value in graph.input:
            _forget_shape(value.type)
    follows = _types_of_bodies(light)
    carried = {key_of(body): max(1, len(body.input) - 1) for body in bodies}
    found = {}
    for key, types in known.items():
        ours, *others = types
        wrong = any(_contradicts(*pair) for other in by_inputs.get(key, ()) for pair in zip(ours, other, strict=True))
        if not wrong and all(other == ours for other in others):
            said = [_said(carried[key], ours, other) for other in follows.get(key, [[TypeProto()] * len(ours)])]
            if said[0] is not None and all(item == said[0] for item in said):
                found[key] = said[0]
    return found


def open_conditions(model: ModelProto) -> set[str]:
    """The names of conditions that bodies of loops take, where the declared rank is all that says it: scalars, and
    lists in loops that are given no condition."""
    found = {value.name for value in _conditions(model.graph) if is_scalar(value.type)}
    if found:
        light = without_weights(model)
        forget_types(light)
        for graph in inferred_graphs(light):
            found.difference_update(
                value.name for value in _conditions(graph) if value.type.tensor_type.HasField("shape")
            )
    found.update(value.name for value in _conditions(model.graph, given=False) if is_list(value.type))
    return found


def alone(function: FunctionProto) -> ModelProto:
    """A model of what a function computes, as far as anything is known of that: of its inputs nothing, and of what it
    calls neither."""
    model = ModelProto(opset_import=function.opset_import)
    if any(map(LOOP.describes, all_nodes(function.node))):
        model.graph.node.extend(function.node)
    return model


def _conditions(graph: GraphProto, given: bool = True) -> Iterator[ValueInfoProto]:
    """What bodies take as conditions, of loops that are `given` one, or of those that are not."""
    for node in all_nodes(graph.node):
        if LOOP.describes(node) and has_condition(node) == given:
            yield from (body.input[1] for body in subgraphs(node) if len(body.input) > 1)


def has_condition(loop: NodeProto) -> bool:
    """Whether a loop is given a condition."""
    return len(loop.input) > 1 and bool(loop.input[1])


def is_scalar(type_: TypeProto) -> bool:
    """Whether it says rank 0."""
    return type_.tensor_type.HasField("shape") and not type_.tensor_type.shape.dim


def is_list(type_: TypeProto) -> bool:
    """Whether it says rank 1."""
    return len(type_.tensor_type.shape.dim) == 1


def _bodies(graph: GraphProto) -> Iterator[GraphProto]:
    """The bodies of loops that collect anything."""
    for node in all_nodes(graph.node):
        if LOOP.describes(node):
            yield from (body for body in subgraphs(node) if len(body.output) >= max(2, len(body.input)))


def _graphs_inside(model: ModelProto) -> Iterator[GraphProto]:
    for node in all_nodes(model.graph.node):
        yield from subgraphs(node)


def _types_of_bodies(model: ModelProto) -> dict[Key, list[list[TypeProto]]]:
    """The types of all that bodies give, as inference finds them."""
    found: dict[Key, list[list[TypeProto]]] = {}
    for body in (item for graph in inferred_graphs(model) for item in _bodies(graph)):
        found.setdefault(key_of(body), []).append([item.type for item in body.output])
    return found


def _forget_shape(type_: TypeProto) -> None:
    """Takes out the shape of a tensor, or of those that a sequence or an optional value holds."""
    while type_.WhichOneof("value") in ("sequence_type", "optional_type"):
        type_ = getattr(type_, str(type_.WhichOneof("value"))).elem_type
    if type_.HasField("tensor_type"):
        type_.tensor_type.ClearField("shape")


def _said(carried: int, types: list[TypeProto], follows: list[TypeProto]) -> list[TypeProto] | None:
    """The types that a body must say; None where it need not say any, or they are wrong. The condition comes first."""
    made = [TypeProto.FromString(item.SerializeToString()) for item in types]
    more = False
    for index, (ours, theirs) in enumerate(zip(made, follows, strict=True)):
        if index >= carried and _has_more_sizes(ours, theirs) and not _contradicts(ours, theirs):
            more = True
        elif index or _contradicts(ours, theirs):
            _forget_shape(ours)
    return made if more else None


def _has_more_sizes(type_: TypeProto, other: TypeProto) -> bool:
    """Whether a type says sizes that the other lacks."""
    if not (type_.HasField("tensor_type") and type_.tensor_type.HasField("shape")):
        return False
    ours, theirs = type_.tensor_type.shape.dim, other.tensor_type.shape.dim
    if not other.tensor_type.HasField("shape"):
        return len(ours) > 0
    return any(
        one.HasField("dim_value") and not two.HasField("dim_value") for one, two in zip(ours, theirs, strict=False)
    )


def _contradicts(type_: TypeProto, other: TypeProto) -> bool:
    """Whether the shapes of two types are such that no tensor has both."""
    if not (type_.tensor_type.HasField("shape") and other.tensor_type.HasField("shape")):
        return False
    ours, theirs = type_.tensor_type.shape.dim, other.tensor_type.shape.dim
    pairs = zip(ours, theirs, strict=False)
    return len(ours) != len(theirs) or any(
        one.HasField("dim_value") and two.HasField("dim_value") and one.dim_value != two.dim_value for one, two in pairs
    )
