"""Ranks that must be declared: Scan wants those of all that its body gives, and some follow from values alone."""

from __future__ import annotations

from onnx import FunctionProto, ModelProto, NodeProto, shape_inference

from opwright.elements import BY_CODE
from opwright.link.walk import all_graphs, all_nodes

_BY_VALUE = frozenset(["Reshape", "Expand", "ConstantOfShape", "Squeeze", "Unsqueeze"])  # an input says the rank


def declared_ranks(model: ModelProto, used: set[str]) -> dict[str, str]:
    """Annotations of values by name, for a model with a Scan: what ONNX's inference finds where values say the rank."""
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


def ranks_by_length(function: FunctionProto, used: set[str]) -> dict[str, str]:
    """The same of a function with a Scan, whose inputs have no types: shapes whose length is known say the rank."""
    if not any(node.op_type == "Scan" for node in function.node):
        return {}
    lengths: dict[str, int] = {}
    found: dict[str, str] = {}
    for node in all_nodes(function.node):
        length = _length(node, lengths)
        if length is not None:
            lengths[node.output[0]] = length
        shape = {"Reshape": 1, "ConstantOfShape": 0}.get(node.op_type)
        rank = None if shape is None or len(node.input) <= shape else lengths.get(node.input[shape])
        if rank:
            used.add("Tensor")
            found[node.output[0]] = f"Tensor[{', '.join(['None'] * rank)}]"
    return found


def _length(node: NodeProto, lengths: dict[str, int]) -> int | None:
    """How many elements the vector has that a node gives, if that is known and it is one."""
    attributes = {item.name: item for item in node.attribute}
    if node.op_type == "Constant":
        if "value_ints" in attributes:
            return len(attributes["value_ints"].ints)
        value = attributes.get("value")
        return value.t.dims[0] if value is not None and len(value.t.dims) == 1 else None
    if node.op_type == "Shape" and {"start", "end"} <= attributes.keys():
        start, end = attributes["start"].i, attributes["end"].i
        return end - start if 0 <= start < end else None
    if node.op_type == "Concat":
        known = [lengths.get(name) for name in node.input]
        return None if None in known else sum(item for item in known if item is not None)
    if node.op_type in ("Div", "Mul", "Add", "Sub", "Cast", "Identity"):
        known = [lengths.get(name) for name in node.input]
        return known[0] if known and all(item == known[0] for item in known) else None
    return None
