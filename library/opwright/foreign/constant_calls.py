"""Calls of constants, computed when a model is linked.

An exporter folds what follows from constants alone, as the mask of a text of fixed length does, and cannot do so with a
call whose function it does not see. So the nodes of the main graph that read constants alone are taken out as a model,
which gets its functions and is run once; what the rest of the graph reads of it stays as constants.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, MutableSequence, Sequence
from math import prod
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, NodeProto, ValueInfoProto, defs, helper, numpy_helper

from opwright.diagnostics.diagnostic import DiagnosticError
from opwright.eager.ort import load_whole
from opwright.eager.ort_values import is_native
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.walk import all_graphs, all_nodes
from opwright.link.value_types import element_of
from opwright.opsets.domains import normal_domain
from opwright.opsets.records import CONSTANT

MOST_READ = 1 << 13  # elements of a constant that is computed with: a larger one may be a weight
MOST_WRITTEN = 1 << 18  # elements of what is stored: as much as the exporter of PyTorch folds

Attach = Callable[[ModelProto], ModelProto]


def fold_constant_calls(model: ModelProto, attach: Attach) -> None:
    """Replaces the nodes that follow from constants by their values, if any of them is a call; the model is changed.

    `attach` gives a model the functions that its nodes call. What draws random numbers stays, what onnx does not know,
    and everything where onnxruntime is missing, or has no kernel for one of the nodes.
    """
    nodes = _constant_nodes(model)
    if not any(_is_call(node) for node in nodes):
        return
    try:
        linked = attach(_model_of(model, nodes))
    except DiagnosticError:
        return  # of a call that is wrong the user hears where the whole model is linked
    steady = _without(nodes, _unsteady(linked))
    wanted = _read_elsewhere(model, steady) if any(map(_is_call, steady)) else []
    written = {name for node in steady for name in node.output}
    _remove(linked.graph.node, lambda node: written.isdisjoint(node.output))
    found = _computed(linked, wanted) if wanted else {}
    kept = {name: value for name, value in found.items() if value.size <= MOST_WRITTEN}
    if kept:
        _replace(model, steady, wanted, kept)


def _is_call(node: NodeProto) -> bool:
    return bool(normal_domain(node.domain))


def _constant_nodes(model: ModelProto) -> list[NodeProto]:
    """The nodes of the main graph, in order, all of whose inputs are constants, or follow from them; without those that
    are known to write more than is stored."""
    graph = model.graph
    given = {item.name for item in graph.input}
    known = {item.name for item in graph.initializer if prod(item.dims) <= MOST_READ} - given
    large = {item.name for item in graph.value_info if _least_size(item) > MOST_WRITTEN}
    found: list[NodeProto] = []
    for node in graph.node:
        if any(item.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for item in node.attribute):
            continue
        if all(not name or name in known for name in node.input) and large.isdisjoint(node.output):
            found.append(node)
            known.update(node.output)
    return found


def _least_size(value: ValueInfoProto) -> int:
    """How many elements a value has, as far as its sizes are declared."""
    return prod(dim.dim_value for dim in value.type.tensor_type.shape.dim if dim.HasField("dim_value"))


def _model_of(model: ModelProto, nodes: Sequence[NodeProto]) -> ModelProto:
    """The nodes as a model without inputs, which gives all that they write."""
    read = {name for node in nodes for name in node.input}
    known = {item.name: item for item in (*model.graph.value_info, *model.graph.output)}
    made = ModelProto(ir_version=model.ir_version, producer_name="opwright")
    made.opset_import.extend(model.opset_import)
    made.functions.extend(model.functions)
    made.graph.name = "constants"
    made.graph.node.extend(nodes)
    made.graph.initializer.extend(item for item in model.graph.initializer if item.name in read)
    written = [name for node in nodes for name in node.output if name]
    made.graph.output.extend(known.get(name) or helper.make_empty_tensor_value_info(name) for name in written)
    return made


def _unsteady(linked: ModelProto) -> set[str]:
    """What is written by nodes of a model that may give other values each time."""
    steady: set[FunctionId] = set()
    for function in linked.functions:  # callees stand first
        opsets = {normal_domain(item.domain): item.version for item in function.opset_import}
        if all(_is_steady(node, opsets, steady) for node in all_nodes(function.node)):
            steady.add(function_id(function))
    opsets = {normal_domain(item.domain): item.version for item in linked.opset_import}
    return {name for node in linked.graph.node if not _is_steady(node, opsets, steady) for name in node.output}


def _is_steady(node: NodeProto, opsets: Mapping[str, int], functions: Collection[FunctionId]) -> bool:
    """Whether a node is a call of one of these functions, or an operator without a seed; of what onnx does not know, as
    runtimes' own operators, nobody can say."""
    domain = normal_domain(node.domain)
    try:
        schema = defs.get_schema(node.op_type, opsets.get(domain, 1), domain)
    except defs.SchemaError:
        return call_id(node) in functions
    return "seed" not in schema.attributes


def _without(nodes: Sequence[NodeProto], unsteady: set[str]) -> list[NodeProto]:
    """The nodes that neither write nor follow from these values."""
    tainted = set(unsteady)
    kept: list[NodeProto] = []
    for node in nodes:
        if tainted.isdisjoint((*node.input, *node.output)):
            kept.append(node)
        else:
            tainted.update(node.output)
    return kept


def _read_elsewhere(model: ModelProto, nodes: Sequence[NodeProto]) -> list[str]:
    """What other nodes and the results of the model read of these nodes, but for what constants give."""
    inside = {id(node) for node in nodes}
    read = {item.name for graph in all_graphs(model.graph) for item in graph.output}
    for node in model.graph.node:
        if id(node) not in inside:
            read.update(name for item in all_nodes([node]) for name in item.input)
    computed = (node for node in nodes if node.op_type != CONSTANT.name or normal_domain(node.domain))
    return [name for node in computed for name in node.output if name in read]


def _computed(linked: ModelProto, names: Sequence[str]) -> dict[str, np.ndarray[Any, Any]]:
    """The values of those names; nothing where onnxruntime has none. It gives numpy other types for those that numpy
    lacks, as bytes for float8: such values are left out."""
    outputs = {item.name: item for item in linked.graph.output}
    del linked.graph.output[:]
    linked.graph.output.extend(outputs[name] for name in names)
    try:
        session = load_whole(linked)
        native = [item.name for item in session.get_outputs() if is_native(element_of(item.type) or "")]
        values = session.run(native, {}) if native else []
    except Exception:  # onnxruntime's errors share no base class; where the whole model is linked, it is checked
        return {}
    return dict(zip(native, values, strict=True))


def _replace(
    model: ModelProto, nodes: Sequence[NodeProto], wanted: Sequence[str], values: Mapping[str, np.ndarray[Any, Any]]
) -> None:
    """Constants in the places of values; nodes that are then read by none are gone."""
    needed = {name for name in wanted if name not in values}
    gone: set[int] = set()
    for node in reversed(nodes):
        is_constant = node.op_type == CONSTANT.name and not normal_domain(node.domain)
        if is_constant or needed.intersection(node.output):
            needed.update(node.input)
        else:
            gone.add(id(node))
    freed = {name for node in nodes if id(node) in gone for name in node.input}
    _remove(model.graph.node, lambda node: id(node) in gone)
    results = {item.name for item in model.graph.output}
    for name, value in values.items():
        tensor = numpy_helper.from_array(value, name)
        if name in results:  # an initializer is no result: a node gives the value
            model.graph.node.insert(0, helper.make_node(CONSTANT.name, [], [name], value=tensor))
        else:
            model.graph.initializer.append(tensor)
    freed -= {name for node in all_nodes(model.graph.node) for name in node.input}
    freed -= {item.name for graph in all_graphs(model.graph) for item in (*graph.output, *graph.input)}
    _remove(model.graph.initializer, lambda item: item.name in freed)
    written = {name for node in model.graph.node for name in node.output}
    _remove(model.graph.value_info, lambda item: item.name not in written)


def _remove(items: MutableSequence[Any], is_gone: Callable[[Any], bool]) -> None:
    for index in reversed(range(len(items))):
        if is_gone(items[index]):
            del items[index]
