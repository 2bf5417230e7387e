"""Ranks that must be declared: Scan wants those of all that its body gives, and some follow from values alone."""

from __future__ import annotations

from onnx import ModelProto, shape_inference

from opwright.elements import BY_CODE
from opwright.link.walk import all_graphs, all_nodes

_BY_VALUE = frozenset(["Reshape", "Expand", "ConstantOfShape", "Squeeze", "Unsqueeze"])  # an input says the rank


def declared_ranks(model: ModelProto, used: set[str]) -> dict[str, str]:
    """Annotations of values by name, in a model with a Scan: what ONNX's inference finds where values say the rank."""
    if not any(node.op_type == "Scan" for node in model.graph.node):
        return {}
    wanted = {node.output[0] for node in all_nodes(model.graph.node) if node.op_type in _BY_VALUE}
    found: dict[str, str] = {}
    inferred = shape_inference.infer_shapes(model, data_prop=True).graph
    for value in (item for graph in all_graphs(inferred) for item in graph.value_info):
        tensor = value.type.tensor_type
        if value.name in wanted and tensor.HasField("shape") and tensor.elem_type in BY_CODE:
            name = BY_CODE[tensor.elem_type].name.upper()
            used.add(name)
            rank = len(tensor.shape.dim)
            found[value.name] = f"{name}[{', '.join(['None'] * rank)}]" if rank else name
    return found
