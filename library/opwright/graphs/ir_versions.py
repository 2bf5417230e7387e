"""The IR versions that first had something of what functions and tensors are."""

from __future__ import annotations

from onnx import FunctionProto

_FUNCTIONS, _DEFAULTS, _OVERLOADS, METADATA = 8, 9, 10, 10
OF_ELEMENTS = {
    **dict.fromkeys(("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"), 9),
    **dict.fromkeys(("uint4", "int4"), 10),
    "float4e2m1": 11,
    "float8e8m0": 12,
    **dict.fromkeys(("uint2", "int2"), 13),
    **dict.fromkeys(("float6e2m3", "float6e3m2"), 14),
}


def ir_version_of_function(function: FunctionProto) -> int:
    """The lowest that has all that the function uses, but for element types."""
    if function.overload or function.value_info or function.metadata_props:
        return _OVERLOADS
    return _DEFAULTS if function.attribute_proto else _FUNCTIONS
