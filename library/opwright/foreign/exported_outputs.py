"""Element types that PyTorch gives the results of a program, where its exporter takes outputs from before a cast.

To compute a sum of float16 the exporter casts to float, and the sum back, and to compute `any` of uint8 to bool; as the
output of the model it then names the value before that last cast (torch 2.13, with and without functions of ours).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.elements import BY_NAME, ElementType
from opwright.graphs.walk import all_graphs, names_of, rename_values
from opwright.opsets.records import CAST

# By the element type of a result in the program the one that the exporter computes it in.
_COMPUTED_IN = {"float16": TensorProto.FLOAT, "bfloat16": TensorProto.FLOAT, "uint8": TensorProto.BOOL}

_CONSTANT = (type(None), bool, int, float, str)  # what a result of a program may be besides a node
_Result = tuple[str, ElementType | None]  # its name, and the type that torch gives it


def cast_outputs(model: ModelProto, program: Any) -> None:
    """Casts outputs in the model of an ExportedProgram that have the type which the exporter computes them in: float,
    or bool, where they are float16, bfloat16 or uint8 in the program. Where the model has others than the program,
    those of its names are meant. DiagnosticError (OW687) where they cannot be told."""
    results = _results(program)
    outputs = list(model.graph.output)
    if len(results) != len(outputs):
        outputs, results = _of_one_name(outputs, results)
    for output, (_, element) in zip(outputs, results, strict=True):
        if _is_before_cast(output, element):
            assert element is not None
            _cast(model.graph, output.name, element)
            output.type.tensor_type.elem_type = element.code


def element_of(dtype: Any) -> ElementType | None:
    """ONNX's element type for one of torch; None of complex ones, which are pairs of real numbers in the program."""
    name = str(dtype).removeprefix("torch.")
    return None if dtype.is_complex else BY_NAME.get({"float32": "float", "float64": "double"}.get(name, name))


def _results(program: Any) -> list[_Result]:
    """What the user's module returns, in order. A constant, None for one, is no output of the model: torch leaves it
    out. The type is None where it is not known, or no tensor of real numbers."""
    *_, last = program.graph.nodes
    specs = program.graph_signature.output_specs
    found: list[_Result] = []
    for spec, result in zip(specs, last.args[0], strict=False):
        if spec.kind.name == "USER_OUTPUT" and not isinstance(result, _CONSTANT):
            dtype = getattr(getattr(result, "meta", {}).get("val"), "dtype", None)
            found.append((getattr(result, "name", ""), None if dtype is None else element_of(dtype)))
    return found


def _of_one_name(
    outputs: Sequence[ValueInfoProto], results: Sequence[_Result]
) -> tuple[list[ValueInfoProto], list[_Result]]:
    """The outputs that have the name of a result, and these results. Raises DiagnosticError for one without its result
    that may be any which lacks its cast."""
    by_name = {name: element for name, element in results if name}
    others = [output for output in outputs if output.name not in by_name]
    names = {output.name for output in outputs}
    unseen = [element for name, element in results if name not in names]
    for output in others:
        if any(_is_before_cast(output, element) for element in unseen):
            raise DiagnosticError([_untold(output.name, len(outputs), len(results))])
    same = [output for output in outputs if output.name in by_name]
    return same, [(output.name, by_name[output.name]) for output in same]


def _is_before_cast(output: ValueInfoProto, element: ElementType | None) -> bool:
    return element is not None and output.type.tensor_type.elem_type == _COMPUTED_IN.get(element.name)


def _untold(name: str, outputs: int, results: int) -> Diagnostic:
    return Diagnostic(
        "OW687",
        f"the element type of the output {name} is not known",
        reason=f"the model has {outputs} outputs and its program {results}, and none of the program's has this name; "
        "torch's exporter may have left its last cast out",
        help="link the program as torch exports it, and change its outputs afterwards",
        subject=name,
    )


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
