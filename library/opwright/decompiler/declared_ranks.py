"""Ranks that must be declared: Scan wants those of all that its body gives, and some follow from values alone."""

from __future__ import annotations

from onnx import FunctionProto, ModelProto, NodeProto

from opwright.decompiler.literal_text import constant_value
from opwright.decompiler.operator_forms import Forms
from opwright.elements import BY_CODE
from opwright.graphs.walk import all_graphs, all_nodes
from opwright.lang import ir
from opwright.lang.infer_protos import attributes_of, node_types
from opwright.lang.infer_ranks import count_of
from opwright.opsets.onnx_inference import infer_model
from opwright.opsets.record import RankRule
from opwright.opsets.records import CONSTANT, RECORDS, SCAN

_BY_VALUE = frozenset(item.name for item in RECORDS.values() if item.ranked_by_length)


def declared_ranks(model: ModelProto, used: set[str]) -> dict[str, str]:
    """Annotations of values by name, for a model with a Scan: what ONNX's inference finds where values say the rank."""
    wanted = {node.output[0] for node in all_nodes(model.graph.node) if node.op_type in _BY_VALUE}
    found: dict[str, str] = {}
    inferred = infer_model(model, data_prop=True)
    for value in (item for graph in (() if inferred is None else all_graphs(inferred)) for item in graph.value_info):
        tensor = value.type.tensor_type
        if value.name in wanted and tensor.HasField("shape") and tensor.elem_type in BY_CODE:
            name = BY_CODE[tensor.elem_type].name.upper()
            used.add(name)
            rank = len(tensor.shape.dim)
            found[value.name] = f"{name}[{', '.join(['None'] * rank)}]" if rank else name
    return found


def ranks_by_length(function: FunctionProto, forms: Forms, used: set[str]) -> dict[str, str]:
    """The same of a function with a Scan, whose inputs have no types: shapes whose length is known say the rank.

    Inputs are taken to have the dimensions that are asked of their shapes.
    """
    if not any(SCAN.describes(node) for node in function.node):
        return {}
    values = {name: _tensor(name) for name in function.input}
    contents: dict[ir.Value, ir.TensorData] = {}
    found: dict[str, str] = {}
    for node in all_nodes(function.node):
        signature = forms.signature_of(node)
        if signature is None or not signature.outputs:
            continue
        inputs = [values.get(name) or _tensor(name) if name else None for name in node.input]
        types = node_types(signature, inputs, attributes_of(node.attribute), len(node.output), contents, trusting=True)
        for name, type_ in zip(node.output, types, strict=True):
            values[name] = _tensor(name) if isinstance(type_, ir.UnknownType) else ir.Value(type_)
        if CONSTANT.describes(node) and (tensor := _tensor_of(node)) is not None:
            contents[values[node.output[0]]] = tensor
        shape = _SHAPES.get(signature.record.rank)
        rank = None if shape is None or len(inputs) <= shape else count_of(inputs[shape])
        if rank:
            used.add("Tensor")
            found[node.output[0]] = f"Tensor[{', '.join(['None'] * rank)}]"
    return found


_SHAPES = {RankRule.RESHAPED: 1, RankRule.FILLED: 0}  # which input is the shape of the result


def _tensor(name: str) -> ir.Value:
    """A value of which nothing is known."""
    return ir.Value(ir.TensorType(ir.TypeVariable(name, rigid=False)))


def _tensor_of(node: NodeProto) -> ir.TensorData | None:
    """The integers that a Constant gives; None of other tensors, and where the function's attributes decide."""
    attribute = node.attribute[0] if len(node.attribute) == 1 else None
    constant = None if attribute is None or attribute.ref_attr_name else constant_value(attribute)
    if constant is None or constant.element.name != "int64":
        return None
    return ir.TensorData(constant.element, tuple(constant.array.shape), constant.array.tobytes())
