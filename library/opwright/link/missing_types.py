"""Inputs and outputs of a model whose type or shape is not written, as many exporters leave them (docs/adr/0289).

Runtimes take such models, ONNX's checker does not. Outputs are completed by what ONNX infers once the functions are in
place; what stays open is taken out of the copy that the checker judges.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Container, Iterator, Mapping

from google.protobuf.message import DecodeError
from onnx import GraphProto, ModelProto, TensorProto, TypeProto, ValueInfoProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.graphs.node_order import in_order
from opwright.graphs.walk import all_graphs, all_nodes, names_of, subgraphs
from opwright.link.inferred_parts import MADE_UP, inferred_graphs
from opwright.link.metadata import BODIES, OUTPUTS, add_entry, json_object
from opwright.opsets.records import RESHAPE, SCAN


def is_open(value: ValueInfoProto) -> bool:
    """Whether ONNX's checker misses something of the type of an input or output."""
    kind = value.type.WhichOneof("value")
    if kind == "tensor_type":
        return not (value.type.tensor_type.elem_type and value.type.tensor_type.HasField("shape"))
    return kind is None


def complete_outputs(model: ModelProto, light: ModelProto, *, remember: bool) -> None:
    """Writes the types of the outputs that lack them, as far as they follow.

    `light` is the model without its weights; `remember` writes down what the types were, for detach.
    """
    lacking = [value for value in model.graph.output if is_open(value)]
    if not lacking:
        return
    known = {value.name: value.type for part in inferred_graphs(light) for value in part.output}
    own = _names_of_sizes(light.graph)
    before = _recorded(model)
    for value in lacking:
        found = known.get(value.name)
        if found is not None and found.WhichOneof("value") is not None and found != value.type:
            before.setdefault(value.name, _kept(value))
            value.type.CopyFrom(found)
            _leave_out_made_up(value.type, own)
    if remember:
        _record(model, before)


def _names_of_sizes(graph: GraphProto) -> set[str]:
    values = (*graph.input, *graph.output, *graph.value_info)
    return {size.dim_param for value in values for size in value.type.tensor_type.shape.dim}


def _leave_out_made_up(type_: TypeProto, own: Container[str]) -> None:
    """Takes the names away that inference gave to sizes of which it knows nothing; the model's own stay."""
    while type_.WhichOneof("value") in ("sequence_type", "optional_type"):
        type_ = (type_.sequence_type if type_.HasField("sequence_type") else type_.optional_type).elem_type
    for size in type_.tensor_type.shape.dim:
        if size.dim_param.startswith(MADE_UP) and size.dim_param not in own:
            size.Clear()


def complete_bodies(model: ModelProto, light: Callable[[], ModelProto], *, remember: bool) -> None:
    """Writes the element types and ranks of what the graphs of `Scan` give, as far as they follow, before nodes in them
    are rewritten: onnxruntime wants the ranks, and of calls and of what stands in the place of a node it does not see
    them. Sizes are not written: they may become others with those of the model's inputs.

    `light` gives what it is for `complete_outputs`, and `remember` is as there.
    """
    lacking = [(key, graph) for key, graph in _bodies(model.graph) if any(map(is_open, graph.output))]
    if not lacking:
        return
    known = dict(body for part in inferred_graphs(light()) for body in _bodies(part))
    before: dict[str, dict[str, str | None]] = {}
    for key, graph in lacking:
        types = {value.name: value.type for value in known[key].output} if key in known else {}
        for value in filter(is_open, graph.output):
            found = types.get(value.name)
            if found is not None and found.WhichOneof("value") is not None and found != value.type:
                before.setdefault(key, {})[value.name] = _kept(value)
                value.type.CopyFrom(found)
                for size in value.type.tensor_type.shape.dim:
                    size.Clear()
    if before and remember:
        add_entry(model, BODIES, before)


def _bodies(graph: GraphProto) -> Iterator[tuple[str, GraphProto]]:
    """The graphs of `Scan`, each with the first output of its node; of nodes with one name none."""
    found: dict[str, list[GraphProto]] = {}
    for node in all_nodes(graph.node):
        if SCAN.describes(node):
            found.setdefault(next(filter(None, node.output), ""), []).extend(subgraphs(node))
    return ((key, graphs[0]) for key, graphs in found.items() if len(graphs) == 1)


def restore_outputs(model: ModelProto, file: str) -> None:
    """Takes back what `complete_outputs` and `complete_bodies` have written. Raises DiagnosticError (OW576) when it
    cannot be known."""
    try:
        before = {name: _type(kept) for text in _texts(model, OUTPUTS) for name, kept in json.loads(text).items()}
        bodies = {
            (key, name): _type(kept)
            for text in _texts(model, BODIES)
            for key, types in json.loads(text).items()
            for name, kept in types.items()
        }
    except (DecodeError, RecursionError, AttributeError, TypeError, ValueError):
        text = f"what attach wrote down under {OUTPUTS} or {BODIES} cannot be read"
        reason = "some other tool has changed the metadata of the model"
        finding = Diagnostic("OW576", text, Place(file), reason, "attach the library to the original model")
        raise DiagnosticError([finding]) from None
    for value in model.graph.output:
        if value.name in before:
            _put_back(value, before[value.name])
    for key, graph in _bodies(model.graph) if bodies else ():
        for value in graph.output:
            if (key, value.name) in bodies:
                _put_back(value, bodies[key, value.name])
    _record(model, {})
    _drop(model, BODIES)


def _put_back(value: ValueInfoProto, kept: TypeProto | None) -> None:
    now = value.type.tensor_type.elem_type
    value.ClearField("type")
    if kept is not None:
        value.type.CopyFrom(kept)
    if value.type.tensor_type.elem_type and now:  # which another tool may have changed, with the values
        value.type.tensor_type.elem_type = now


def keep_completed(model: ModelProto, before: ModelProto, *, remember: bool) -> None:
    """Writes the types again that `complete_outputs` had written into `before`, where they were taken out of the
    model: its outputs are the same values. `remember` as there."""
    completed = _recorded(before)
    types = {value.name: value.type for value in before.graph.output}
    for value in model.graph.output:
        if value.name in completed and is_open(value):
            value.type.CopyFrom(types[value.name])
    if completed and remember:
        _record(model, completed)


def _kept(value: ValueInfoProto) -> str | None:
    return b64encode(value.type.SerializeToString()).decode() if value.HasField("type") else None


def _type(kept: str | None) -> TypeProto | None:
    return None if kept is None else TypeProto.FromString(b64decode(kept, validate=True))


def _recorded(model: ModelProto) -> dict[str, str | None]:
    texts = _texts(model, OUTPUTS)
    return {name: kept for text in texts for name, kept in (json_object(text) or {}).items()}


def _record(model: ModelProto, before: Mapping[str, str | None]) -> None:
    _drop(model, OUTPUTS)
    if before:
        add_entry(model, OUTPUTS, before)


def _texts(model: ModelProto, key: str) -> list[str]:
    return [item.value for item in model.metadata_props if item.key.startswith(key)]


def _drop(model: ModelProto, key: str) -> None:
    others = [item for item in model.metadata_props if not item.key.startswith(key)]
    if len(others) < len(model.metadata_props):
        del model.metadata_props[:]
        model.metadata_props.extend(others)


def without_open_types(model: ModelProto) -> ModelProto:
    """A copy that says the same of all that has a type: open outputs are left out, inputs of unknown rank are made by a
    node, and nodes stand behind those that they read."""
    copy = ModelProto()
    copy.CopyFrom(model)
    outputs = [value for value in copy.graph.output if not is_open(value)]
    del copy.graph.output[:]
    copy.graph.output.extend(outputs)
    taken = {name for graph in all_graphs(copy.graph) for name in names_of(graph)}
    nodes = []
    for value in [*copy.graph.input]:
        element = value.type.tensor_type.elem_type
        if element and is_open(value):
            flat, shape = (_free(f"{value.name}_{what}", taken) for what in ("elements", "sizes"))
            taken |= {flat, shape}
            nodes.append(helper.make_node(RESHAPE.name, [flat, shape], [value.name]))
            copy.graph.input.append(helper.make_tensor_value_info(shape, TensorProto.INT64, [None]))
            value.CopyFrom(helper.make_tensor_value_info(flat, element, [None]))
    rest = [node for _, node in in_order(copy.graph.node)]
    del copy.graph.node[:]
    copy.graph.node.extend([*nodes, *rest])
    return copy


def _free(name: str, taken: Container[str]) -> str:
    while name in taken:
        name += "_"
    return name
