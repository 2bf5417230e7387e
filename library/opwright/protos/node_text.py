"""Short texts of nodes, types and tensors, for messages: `Y = LeakyRelu<alpha = 0.5>(x)`."""

from __future__ import annotations

from collections.abc import Iterable

from onnx import AttributeProto, NodeProto, SparseTensorProto, TensorProto, TypeProto, ValueInfoProto
from onnx.numpy_helper import to_array

from opwright.elements import BY_CODE

_MOST = 160  # characters of a node or value
_MOST_ITEMS = 8  # of a list or tensor


def node_text(node: NodeProto, version: int | None = None) -> str:
    """The node with its attributes; `version` is written behind the operator where it matters."""
    outputs = ", ".join(node.output)
    operator = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    if node.overload:
        operator += f":{node.overload}"
    if version is not None:
        operator += f" (version {version})"
    attributes = ", ".join(attribute_text(item) for item in node.attribute)
    return clipped(f"{outputs} = {operator}{f'<{attributes}>' if attributes else ''}({', '.join(node.input)})")


def attribute_text(attribute: AttributeProto) -> str:
    return clipped(f"{attribute.name} = {_value_text(attribute)}")


def tensor_text(tensor: TensorProto | SparseTensorProto) -> str:
    """Type, dimensions and the first elements."""
    if isinstance(tensor, SparseTensorProto):
        return f"sparse {tensor_text(tensor.values)} of dimensions {_listed(tensor.dims)}"
    element = BY_CODE.get(tensor.data_type)
    head = f"{element or f'type {tensor.data_type}'}{_listed(tensor.dims)}"
    size = 1
    for dim in tensor.dims:
        size *= dim
    if element is None or size > 1 << 16 or tensor.external_data:
        return head
    try:
        items = to_array(tensor).ravel()[: _MOST_ITEMS + 1].tolist()
    except (ValueError, TypeError, KeyError):
        return head
    return clipped(f"{head} {{{_joined(items)}}}")


def type_text(value: ValueInfoProto) -> str:
    kind = _type_text(value.type) if value.HasField("type") else ""
    return f"{value.name}: {kind or 'any type'}"


def clipped(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def _type_text(type_proto: TypeProto) -> str:
    kind = type_proto.WhichOneof("value")
    if kind == "tensor_type":
        tensor = type_proto.tensor_type
        element = str(BY_CODE.get(tensor.elem_type, "tensor"))
        if not tensor.HasField("shape"):
            return f"{element}[...]"
        dims = [str(dim.dim_value) if dim.HasField("dim_value") else dim.dim_param or "?" for dim in tensor.shape.dim]
        return f"{element}[{', '.join(dims)}]"
    if kind == "sequence_type":
        return f"sequence({_type_text(type_proto.sequence_type.elem_type)})"
    if kind == "optional_type":
        return f"optional({_type_text(type_proto.optional_type.elem_type)})"
    return (kind or "").removesuffix("_type")


def _value_text(attribute: AttributeProto) -> str:
    if attribute.ref_attr_name:
        return f"@{attribute.ref_attr_name}"
    match attribute.type:
        case AttributeProto.FLOAT:
            return f"{attribute.f:.9g}"
        case AttributeProto.INT:
            return str(attribute.i)
        case AttributeProto.STRING:
            return repr(attribute.s.decode("utf-8", "replace"))
        case AttributeProto.FLOATS:
            return _listed(f"{value:.9g}" for value in attribute.floats)
        case AttributeProto.INTS:
            return _listed(attribute.ints)
        case AttributeProto.STRINGS:
            return _listed(repr(value.decode("utf-8", "replace")) for value in attribute.strings)
        case AttributeProto.TENSOR:
            return tensor_text(attribute.t)
        case AttributeProto.GRAPH:
            return f"a graph of {len(attribute.g.node)} nodes"
        case _:
            return str(AttributeProto.AttributeType.Name(attribute.type)).lower()


def _listed(items: Iterable[object]) -> str:
    return f"[{_joined(items)}]"


def _joined(items: Iterable[object]) -> str:
    texts: list[str] = []
    for item in items:
        if len(texts) == _MOST_ITEMS:
            return f"{', '.join(texts)}, ..."
        texts.append(str(item))
    return ", ".join(texts)
