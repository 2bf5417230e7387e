"""Ranks that must be declared: Scan wants those of all that its body gives, and some follow from values alone."""

from __future__ import annotations

from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, numpy_helper, shape_inference

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
    """The same of a function with a Scan, whose inputs have no types: shapes whose length is known say the rank.

    Inputs are taken to have the dimensions that are asked of their shapes.
    """
    if not any(node.op_type == "Scan" for node in function.node):
        return {}
    lengths = _Lengths()
    found: dict[str, str] = {}
    for node in all_nodes(function.node):
        length = lengths.of(node)
        if length is not None:
            lengths.known[node.output[0]] = length
        shape = {"Reshape": 1, "ConstantOfShape": 0}.get(node.op_type)
        rank = None if shape is None or len(node.input) <= shape else lengths.known.get(node.input[shape])
        if rank:
            used.add("Tensor")
            found[node.output[0]] = f"Tensor[{', '.join(['None'] * rank)}]"
    return found


_SCALAR = 0  # no vector at all
_ELEMENTWISE = frozenset(["Add", "Cast", "Div", "Identity", "Mul", "Sub"])


class _Lengths:
    """How many elements the vectors have that shapes are made of, as far as that is known."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self._values: dict[str, list[int]] = {}

    def of(self, node: NodeProto) -> int | None:
        attributes = {item.name: item for item in node.attribute}
        given = [self.known.get(name) for name in node.input]
        certain = [item for item in given if item is not None]
        values = [self._values.get(name) for name in node.input]
        if node.op_type == "Constant":
            return self._constant(node)
        if node.op_type == "Shape" and {"start", "end"} <= attributes.keys():
            start, end = attributes["start"].i, attributes["end"].i
            return end - start if 0 <= start < end else None
        if node.op_type == "Slice" and len(values) == 3 and values[1] and values[2]:
            start, end = values[1][0], values[2][0]
            return end - start if 0 <= start < end else None
        if node.op_type == "Gather" and len(given) == 2:
            return given[1]
        if node.op_type == "Unsqueeze" and given[0] == _SCALAR:
            return 1
        if node.op_type == "Reshape" and len(values) == 2 and values[1] is not None and len(values[1]) == 1:
            return values[1][0] if values[1][0] > 0 else None
        if node.op_type == "Concat":
            return sum(certain) if len(certain) == len(given) and all(certain) else None
        if node.op_type in _ELEMENTWISE:
            return max(certain) if certain and len(certain) == len(given) else None
        return None

    def _constant(self, node: NodeProto) -> int | None:
        attribute = node.attribute[0]
        if attribute.name in ("value_int", "value_float"):
            return _SCALAR
        if attribute.name == "value_ints":
            values = list(attribute.ints)
        elif attribute.name == "value" and attribute.t.data_type == TensorProto.INT64 and len(attribute.t.dims) <= 1:
            if not attribute.t.dims:
                return _SCALAR
            values = numpy_helper.to_array(attribute.t).tolist()
        else:
            return None
        self._values[node.output[0]] = values
        return len(values)
