"""ONNX's inference of a model with many graphs or functions inside it, in time that grows with the model.

For each graph inside a node, ONNX copies what it knows of all values around, and for each call what it knows of all
functions: a model with n branches takes n times as long as one without. A large model is therefore inferred part by
part; each part has the values that it reads as inputs, and the functions that it calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, ValueInfoProto

from opwright.graphs.ids import FunctionId, call_id, called, function_id
from opwright.graphs.model_inference import infer_model
from opwright.graphs.walk import all_graphs, all_nodes, subgraphs
from opwright.opsets.records import CONSTANT

# Nodes around graphs, counted for each graph, and functions, for each call: what a model has that is inferred at once.
MOST_COPIED = 200_000
PART = 500  # nodes
MADE_UP = "unk__"  # what the names begin with that ONNX gives to sizes of which it knows none


Infer = Callable[[ModelProto], GraphProto | None]


def inferred_graphs(model: ModelProto, infer: Infer = infer_model) -> Iterator[GraphProto]:
    """The graph of a model with the types that follow; of a large one with graphs or calls inside it, each part of
    that. None of what inference refuses."""
    graph = model.graph
    inside = sum(1 for node in all_nodes(graph.node) for _ in subgraphs(node))
    functions = {function_id(item): item for item in model.functions}
    calls = sum(1 for node in all_nodes(graph.node) if call_id(node) in functions) if functions else 0
    if inside * len(graph.node) + calls * len(functions) <= MOST_COPIED:
        inferred = infer(model)
        yield from () if inferred is None else (inferred,)
        return
    types = {value.name: value for value in graph.input}
    declared = {value.name: value for value in graph.value_info}
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    sparse = {tensor.values.name: tensor for tensor in graph.sparse_initializer}
    constants: dict[str, NodeProto] = {}
    for begin in range(0, len(graph.node), PART):
        nodes = graph.node[begin : begin + PART]
        made = dict.fromkeys(name for node in nodes for name in node.output)
        read = [name for name in dict.fromkeys(_read(nodes)) if name not in made]
        part = ModelProto(ir_version=model.ir_version, opset_import=model.opset_import)
        part.functions.extend(_called(nodes, functions))
        part.graph.input.extend(types[name] for name in read if name in types and name not in constants)
        part.graph.initializer.extend(tensors[name] for name in read if name in tensors)
        part.graph.sparse_initializer.extend(sparse[name] for name in read if name in sparse)
        part.graph.node.extend(constants[name] for name in read if name in constants)
        part.graph.node.extend(nodes)
        part.graph.output.extend(value for value in graph.output if value.name in made)
        part.graph.value_info.extend(declared[name] for name in made if name in declared)
        constants.update((node.output[0], node) for node in nodes if CONSTANT.describes(node))
        inferred = infer(part)
        if inferred is not None:
            _tell_apart(inferred, f"{MADE_UP}{begin}_")
            types.update((value.name, value) for value in (*inferred.value_info, *inferred.output))
            yield inferred


def inferred_values(model: ModelProto, graph: GraphProto) -> Iterator[tuple[GraphProto, Iterable[ValueInfoProto]]]:
    """The graphs inside a graph, and that graph as the last one, each with the types that follow for its values.

    `model` has a graph of the same nodes, but for constants.
    """
    holders = {tuple(node.output): node for node in graph.node if any(True for _ in subgraphs(node))}
    found: dict[str, ValueInfoProto] = {}
    for part in inferred_graphs(model):
        found.update((value.name, value) for value in part.value_info)
        for node in part.node:
            holder = holders.get(tuple(node.output))
            pairs = () if holder is None else zip(subgraphs(holder), subgraphs(node), strict=False)
            for inner, known in chain.from_iterable(zip(*map(all_graphs, pair), strict=False) for pair in pairs):
                yield inner, (*known.value_info, *known.output)
    yield graph, found.values()


def _read(nodes: Iterable[NodeProto]) -> Iterator[str]:
    """The names that the nodes and their graphs read; among them those of values in the graphs."""
    for node in all_nodes(nodes):
        yield from node.input
        for graph in subgraphs(node):
            yield from (value.name for value in graph.output)


def _called(nodes: Iterable[NodeProto], functions: Mapping[FunctionId, FunctionProto]) -> list[FunctionProto]:
    """The functions that the nodes call, and those that these call."""
    found: dict[FunctionId, FunctionProto] = {}
    pending = [*map(call_id, all_nodes(nodes))] if functions else []
    while pending:
        identity = pending.pop()
        if identity in functions and identity not in found:
            found[identity] = functions[identity]
            pending += called(functions[identity])
    return [*found.values()]


def _tell_apart(part: GraphProto, prefix: str) -> None:
    """Renames the sizes that ONNX has named in this part, as it may have named others in the parts before."""
    given = {size.dim_param for value in part.input for size in value.type.tensor_type.shape.dim}
    for graph in all_graphs(part):
        for value in (*graph.value_info, *graph.output):
            for size in value.type.tensor_type.shape.dim:
                if size.dim_param.startswith(MADE_UP) and size.dim_param not in given:
                    size.dim_param = prefix + size.dim_param.removeprefix(MADE_UP)
