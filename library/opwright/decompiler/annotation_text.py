"""Types of ONNX as annotations."""

from __future__ import annotations

from onnx import TensorShapeProto, TypeProto

from opwright.decompiler.literal_text import quoted
from opwright.decompiler.refuse import refuse
from opwright.elements import BY_CODE, fits_size


def annotation(type_: TypeProto, used: set[str], what: str) -> str:
    """The annotation of a value of that type; the names that it needs are added to `used`. Refused where the language
    has none: sparse tensors, element types that are not known."""
    kind = type_.WhichOneof("value")
    if kind == "sequence_type":
        used.add("Sequence")
        return f"Sequence[{annotation(type_.sequence_type.elem_type, used, what)}]"
    if kind == "optional_type":
        used.add("OptionalValue")
        return f"OptionalValue[{annotation(type_.optional_type.elem_type, used, what)}]"
    if kind == "map_type" and type_.map_type.key_type in BY_CODE:
        key = BY_CODE[type_.map_type.key_type].name.upper()
        used.update(("Map", key))
        return f"Map[{key}, {annotation(type_.map_type.value_type, used, what)}]"
    tensor = type_.tensor_type
    element = BY_CODE.get(tensor.elem_type) if kind == "tensor_type" else None
    if element is None:
        raise refuse(f"{what} has a type that a script cannot declare", f"it is a {kind or 'value without a type'}")
    name = element.name.upper()
    used.add(name)
    if not tensor.HasField("shape"):
        return f"{name}[...]"
    dims = [_dimension(dim) for dim in tensor.shape.dim]
    return f"{name}[{', '.join(dims)}]" if dims else name


def _dimension(dim: TensorShapeProto.Dimension) -> str:
    field = dim.WhichOneof("value")
    if field == "dim_value" and fits_size(dim.dim_value):
        return str(dim.dim_value)
    return quoted(dim.dim_param) if field == "dim_param" and dim.dim_param else "None"
