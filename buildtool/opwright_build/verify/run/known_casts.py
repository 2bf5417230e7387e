"""`CastLike` as `Cast` where the type is that of a model's input: onnxruntime has no kernel for `CastLike`, and expands
each into a function of one `Cast` while it loads a model, which costs as much as five other nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from onnx import AttributeProto, ModelProto, NodeProto
from opwright.graphs.walk import subgraphs
from opwright.opsets.domains import normal_domain


def write_known_casts(model: ModelProto) -> None:
    """Changes the nodes of the model's graph, and those of graphs within it. All other attributes stay."""
    _write(model.graph.node, {item.name: item.type.tensor_type.elem_type for item in model.graph.input})


def _write(nodes: Iterable[NodeProto], types: Mapping[str, int]) -> None:
    for node in nodes:
        if node.op_type == "CastLike" and not normal_domain(node.domain):
            to = types.get(node.input[1], 0)
            if to:
                node.op_type = "Cast"
                del node.input[1]
                node.attribute.add(name="to", type=AttributeProto.INT, i=to)
        elif node.attribute:
            for graph in subgraphs(node):
                hidden = {item.name for item in graph.input}
                _write(graph.node, {name: to for name, to in types.items() if name not in hidden})
