"""What gives each value of a model: by it an input that was taken away, and comes back by its name, is known again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from math import prod

import numpy as np
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, numpy_helper

from opwright.graphs.walk import all_graphs, graphs_in
from opwright.opsets.records import CONSTANT

_MOST_ELEMENTS = 4096  # of a tensor whose content is looked at: axes, sizes, limits
_EXACT = frozenset(  # element types that conversions of a model to other types leave as they are
    (
        TensorProto.BOOL,
        TensorProto.INT8,
        TensorProto.INT16,
        TensorProto.INT32,
        TensorProto.INT64,
        TensorProto.UINT8,
        TensorProto.UINT16,
        TensorProto.UINT32,
        TensorProto.UINT64,
    )
)


class Sources:
    """Those of a model and its functions, by the name of the value, as they are now: a constant that is rewritten for
    another opset is another source then."""

    def __init__(self, model: ModelProto) -> None:
        found: dict[str, set[str]] = {}
        for graph in all_graphs(model.graph):
            _add(found, _of_graph(graph))
        for function in model.functions:
            _add(found, _of_function(function))
        self._found = {name: "|".join(sorted(sources)) for name, sources in found.items()}

    def of(self, name: str) -> str:
        """What gives the values of that name; empty where nothing does."""
        return self._found.get(name, "")


def _add(found: dict[str, set[str]], sources: Iterable[tuple[str, str]]) -> None:
    for name, source in sources:
        found.setdefault(name, set()).add(source)


def _of_function(function: FunctionProto) -> Iterator[tuple[str, str]]:
    yield from ((name, "input") for name in function.input)
    yield from _of_nodes(function.node)
    for graph in graphs_in(function):
        yield from _of_graph(graph)


def _of_graph(graph: GraphProto) -> Iterator[tuple[str, str]]:
    yield from ((value.name, "input") for value in graph.input)
    yield from ((tensor.name, _of_tensor(tensor)) for tensor in graph.initializer)
    yield from ((tensor.values.name, "sparse") for tensor in graph.sparse_initializer)
    yield from _of_nodes(graph.node)


def _of_nodes(nodes: Iterable[NodeProto]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        source = _of_constant(node) if CONSTANT.describes(node) else "node"
        yield from ((name, source) for name in node.output if name)


def _of_constant(node: NodeProto) -> str:
    for attribute in node.attribute:
        if attribute.type == AttributeProto.TENSOR:
            return _of_tensor(attribute.t)
        if attribute.type == AttributeProto.INT:
            return _of_tensor(numpy_helper.from_array(np.array(attribute.i, np.int64)))
        if attribute.type == AttributeProto.INTS:
            return _of_tensor(numpy_helper.from_array(np.array(attribute.ints, np.int64)))
    return "constant"


def _of_tensor(tensor: TensorProto) -> str:
    sizes = "x".join(map(str, tensor.dims))
    is_apart = tensor.data_location == TensorProto.EXTERNAL
    if tensor.data_type not in _EXACT or is_apart or prod(tensor.dims) > _MOST_ELEMENTS:
        return f"tensor {sizes}"
    try:
        data = numpy_helper.to_array(tensor).tobytes()
    except (ValueError, TypeError, KeyError):  # it holds another number of elements than its sizes say
        return f"tensor {sizes}"
    return f"tensor {sizes} {_digest(data)}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
