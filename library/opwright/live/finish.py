"""The last of a model: the IR version that it needs, and the types of outputs that only ONNX's own inference finds."""

from __future__ import annotations

from collections.abc import Iterator

from onnx import GraphProto, ModelProto, TypeProto, helper, shape_inference

from opwright.diagnostics.model import Diagnostic, DiagnosticError
from opwright.elements import BY_CODE
from opwright.lang.lower import Unit
from opwright.lang.source import span_of
from opwright.link.walk import all_graphs, all_nodes

_MADE_UP = "unk__"  # what ONNX's inference calls a size of which it knows nothing

# The IR versions that first had something.
_FUNCTIONS, _DEFAULTS, _OVERLOADS = 8, 9, 10
_ELEMENTS = {
    **dict.fromkeys(("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"), 9),
    **dict.fromkeys(("uint4", "int4"), 10),
    "float4e2m1": 11,
    "float8e8m0": 12,
    **dict.fromkeys(("uint2", "int2"), 13),
}


def finish(model: ModelProto, unit: Unit, ir_version: int | None) -> None:
    """Fills in the IR version and the missing types of outputs. Raises DiagnosticError."""
    needed = lowest_ir_version(model)
    if ir_version is not None and ir_version < needed:
        raise DiagnosticError(
            [
                Diagnostic(
                    "OW354",
                    f"the model needs IR version {needed}, not {ir_version}",
                    unit.module.source.place(span_of(unit.node)),
                    reason="its opset, its functions or its element types came with that version",
                    help="ask for an older opset, or for a newer IR version",
                )
            ]
        )
    model.ir_version = needed if ir_version is None else ir_version
    _infer_outputs(model, unit)


def lowest_ir_version(model: ModelProto) -> int:
    """The lowest IR version that has all that the model uses."""
    standard = [item for item in model.opset_import if item.domain in ("", "ai.onnx.ml", "ai.onnx.preview.training")]
    needed = [helper.find_min_ir_version_for(standard, ignore_unknown=True)]
    if model.functions:
        needed.append(_FUNCTIONS)
    for function in model.functions:
        if function.attribute_proto:
            needed.append(_DEFAULTS)
        if function.overload or function.value_info or function.metadata_props:
            needed.append(_OVERLOADS)
    needed.extend(_ELEMENTS.get(BY_CODE[code].name, 0) for code in _element_codes(model) if code in BY_CODE)
    return int(max(needed))


def _element_codes(model: ModelProto) -> Iterator[int]:
    for graph in all_graphs(model.graph):
        for value in (*graph.input, *graph.output, *graph.value_info):
            yield _code(value.type)
    for nodes in (model.graph.node, *(function.node for function in model.functions)):
        for node in all_nodes(nodes):
            for attribute in node.attribute:
                if attribute.HasField("t"):
                    yield attribute.t.data_type
                elif node.op_type == "Cast" and attribute.name == "to":
                    yield attribute.i


def _code(type_: TypeProto) -> int:
    while type_.HasField("sequence_type") or type_.HasField("optional_type"):
        type_ = type_.sequence_type.elem_type if type_.HasField("sequence_type") else type_.optional_type.elem_type
    return type_.tensor_type.elem_type


def _infer_outputs(model: ModelProto, unit: Unit) -> None:
    """Gives the outputs the types and ranks that inference finds where the compiler knew none."""
    open_outputs = [value for value in model.graph.output if not _is_complete(value.type)]
    if not open_outputs:
        return
    inferred = {value.name: value.type for value in _inferred(model).output}
    for value in open_outputs:
        found = inferred.get(value.name)
        if found is not None and _code(found):
            value.type.CopyFrom(found)
            for dim in value.type.tensor_type.shape.dim:
                if dim.dim_param.startswith(_MADE_UP):
                    dim.ClearField("dim_param")
        if not _code(value.type):
            raise DiagnosticError(
                [
                    Diagnostic(
                        "OW354",
                        f"the type of the output `{value.name}` is not known",
                        unit.module.source.place(span_of(unit.node)),
                        reason="neither the compiler nor ONNX's own inference finds it",
                        help="annotate what the function returns, or give `output_types`",
                    )
                ]
            )


def _inferred(model: ModelProto) -> GraphProto:
    try:
        return shape_inference.infer_shapes(model, check_type=True).graph
    except (ValueError, RuntimeError):
        return model.graph


def _is_complete(type_: TypeProto) -> bool:
    return bool(_code(type_)) and (not type_.HasField("tensor_type") or type_.tensor_type.HasField("shape"))
