"""What a body computes, whatever its nodes are called and in whatever order they stand.

Two bodies of one structure differ in names, in the order of nodes that do not depend on each other, in nodes that
nothing reads, or in where a constant stands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import onnx

Names = dict[str, str]  # a value's name: what it is made of


def structure(proto: onnx.FunctionProto | onnx.ModelProto) -> str:
    """A digest of the outputs in terms of the inputs."""
    if isinstance(proto, onnx.FunctionProto):
        return _function(proto)
    opsets = sorted(f"{item.domain} {item.version}" for item in proto.opset_import)
    around = {
        "": "absent",
        **{item.name: item.SerializeToString(deterministic=True).hex() for item in proto.graph.initializer},
    }
    return _digest([*opsets, *sorted(map(_function, proto.functions)), _graph(proto.graph, around, 0)])


def _function(function: onnx.FunctionProto) -> str:
    names = {name: f"input {index}" for index, name in enumerate(function.input)}
    names |= {"": "absent"}
    _add(function.node, names, 0)
    attributes = [
        *function.attribute,
        *sorted(item.SerializeToString(deterministic=True).hex() for item in function.attribute_proto),
    ]
    opsets = sorted(f"{item.domain} {item.version}" for item in function.opset_import)
    facts = [function.domain, function.name, function.overload, str(len(function.input)), *attributes, *opsets]
    return _digest([*facts, *(names[name] for name in function.output)])


def _add(nodes: Iterable[onnx.NodeProto], names: Names, depth: int) -> None:
    """Adds what each node gives. Serialised attributes stand for themselves; graphs are looked into."""
    for node in nodes:
        parts = [node.domain, node.op_type, node.overload, *(names[name] for name in node.input)]
        for attribute in sorted(node.attribute, key=lambda item: item.name):
            if attribute.type == onnx.AttributeProto.GRAPH:
                parts.append(f"{attribute.name} {_graph(attribute.g, names, depth + 1)}")
            elif attribute.type == onnx.AttributeProto.TENSOR:
                tensor = onnx.TensorProto()
                tensor.CopyFrom(attribute.t)
                tensor.ClearField("name")
                parts.append(f"{attribute.name} {tensor.SerializeToString(deterministic=True).hex()}")
            else:
                parts.append(attribute.SerializeToString(deterministic=True).hex())
        made = _digest(parts)
        names.update((name, f"{made} {index}") for index, name in enumerate(node.output) if name)


def _graph(graph: onnx.GraphProto, around: Mapping[str, str], depth: int) -> str:
    names = {**around, **{item.name: f"input {depth} {index}" for index, item in enumerate(graph.input)}}
    _add(graph.node, names, depth)
    types = [item.type.SerializeToString(deterministic=True).hex() for item in (*graph.input, *graph.output)]
    return _digest([*types, *(names[item.name] for item in graph.output)])


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
