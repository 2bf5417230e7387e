"""Element types that PyTorch gives the results of a program, where its exporter takes outputs from before a cast.

To compute a sum of float16 the exporter casts to float, and the sum back, and to compute `any` of uint8 to bool; as the
output of the model it then names the value before that last cast (torch 2.13, with and without functions of ours).
"""

from __future__ import annotations

from itertools import count
from typing import Any

from onnx import GraphProto, ModelProto, TensorProto, helper

from opwright.elements import BY_NAME, ElementType
from opwright.graphs.walk import all_graphs, names_of, rename_values
from opwright.opsets.records import CAST

# By the element type of a result in the program the one that the exporter computes it in.
_COMPUTED_IN = {"float16": TensorProto.FLOAT, "bfloat16": TensorProto.FLOAT, "uint8": TensorProto.BOOL}


def cast_outputs(model: ModelProto, program: Any) -> None:
    """Casts outputs in the model of an ExportedProgram that have the type which the exporter computes them in: float,
    or bool, where they are float16, bfloat16 or uint8 in the program."""
    wanted = _element_types(program)
    if len(wanted) != len(model.graph.output):
        return
    for output, element in zip(model.graph.output, wanted, strict=True):
        kind = output.type.tensor_type
        if element is not None and kind.elem_type == _COMPUTED_IN.get(element.name):
            _cast(model.graph, output.name, element)
            kind.elem_type = element.code


def element_of(dtype: Any) -> ElementType | None:
    """ONNX's element type for one of torch; None of complex ones, which are pairs of real numbers in the program."""
    name = str(dtype).removeprefix("torch.")
    return None if dtype.is_complex else BY_NAME.get({"float32": "float", "float64": "double"}.get(name, name))


def _element_types(program: Any) -> list[ElementType | None]:
    """Of what the user's module returns, in order; None where it is not known, or no tensor of real numbers."""
    *_, last = program.graph.nodes
    specs = program.graph_signature.output_specs
    results = [result for spec, result in zip(specs, last.args[0], strict=False) if spec.kind.name == "USER_OUTPUT"]
    values = [getattr(result, "meta", {}).get("val") for result in results]
    dtypes = [getattr(value, "dtype", None) for value in values]
    return [None if dtype is None else element_of(dtype) for dtype in dtypes]


def _cast(graph: GraphProto, name: str, element: ElementType) -> None:
    """Casts what has the name; the cast has it from now on."""
    taken = {value for inner in all_graphs(graph) for value in names_of(inner)}
    before = next(text for number in count() if (text := f"{name}.{number}") not in taken)
    rename_values(graph.node, lambda value: before if value == name else value)
    for information in graph.value_info:
        if information.name == name:
            information.name = before
    for constant in graph.initializer:
        if constant.name == name:
            constant.name = before
    graph.node.append(helper.make_node(CAST.name, [before], [name], to=element.code))
