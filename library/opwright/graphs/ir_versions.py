"""The IR versions from which on a model can hold what it uses, or what the linker writes (docs/adr/0289)."""

from __future__ import annotations

from onnx import FunctionProto

INITIALIZERS_IR = 4  # that are no inputs; below it each is the default of one
FUNCTIONS_IR = 8
DEFAULTS_IR = 9  # of the attributes of functions
METADATA_IR = 10  # metadata_props of functions and nodes, and overloads
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
        return METADATA_IR
    return DEFAULTS_IR if function.attribute_proto else FUNCTIONS_IR
