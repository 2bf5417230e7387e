"""What ONNX's inference has against one node."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import NodeProto, TensorProto, TypeProto, helper

from opwright.lang.lower.completions import InputType, completed, completions
from opwright.opsets.onnx_inference import Refused, infer_node


def infer(
    node: NodeProto,
    domain: str,
    version: int,
    types: Sequence[InputType | None],
    data: Sequence[TensorProto | None],
) -> dict[str, TypeProto]:
    """The types of what the node gives, by name, with inputs of these types, in their order. Raises Refused. `data` are
    the inputs whose elements are known, `version` that of the operator."""
    named = [(name, type_, content) for name, type_, content in zip(node.input, types, data, strict=False) if name]
    input_types = {name: helper.make_tensor_type_proto(*type_) for name, type_, _ in named if type_ is not None}
    input_data = {name: content for name, _, content in named if content is not None}
    return infer_node(node, domain, {domain: version}, input_types, input_data)


def refusal(
    node: NodeProto,
    domain: str,
    version: int,
    types: Sequence[InputType | None],
    data: Sequence[TensorProto | None],
) -> str | None:
    """ONNX's reason not to take the node; None where it has none."""
    try:
        infer(node, domain, version, types, data)
    except Refused as refused:
        return str(refused)
    return None


def proof(
    node: NodeProto,
    domain: str,
    version: int,
    types: Sequence[InputType | None],
    data: Sequence[TensorProto | None],
) -> str | None:
    """ONNX's reason not to take the node, however its inputs are completed; None where there is none."""
    refused = refusal(node, domain, version, types, data)
    if refused is None:
        return None
    others = (completed(types, shapes) for shapes in completions(types, lengths_of(node, data)))
    return refused if all(refusal(node, domain, version, made, data) is not None for made in others) else None


def lengths_of(node: NodeProto, data: Sequence[TensorProto | None]) -> list[int]:
    """The lengths of the lists that are known of a node."""
    attributes = [max(len(item.ints), len(item.floats)) for item in node.attribute]
    return attributes + [item.dims[0] for item in data if item is not None and len(item.dims) == 1]
