"""The last of a model: its IR version, types that only ONNX's own inference finds, and ONNX's verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from onnx import ModelProto, TypeProto, ValueInfoProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.elements import BY_CODE
from opwright.graphs.ir_versions import INITIALIZERS_IR, METADATA_IR, OF_ELEMENTS, ir_version_of_function
from opwright.graphs.walk import all_graphs
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.text.source import span_of
from opwright.model.scan_inputs import inputs_of_scans
from opwright.model.survey import Survey
from opwright.model.verdict import checker_problem, infer, with_ranks

GiveRanks = Callable[[Sequence[ValueInfoProto], Sequence[ValueInfoProto]], str]

MADE_UP = "unk__"  # what ONNX's inference calls a size of which it knows nothing


def finish(model: ModelProto, unit: Unit, survey: Survey, ir_version: int | None, strict: bool) -> None:
    """Fills in the IR version and the missing types of outputs; `survey` says what the model's nodes are. Raises
    DiagnosticError, also where ONNX refuses the model. `strict`: each input and output has a rank, too."""
    needed = lowest_ir_version(model, survey)
    place = unit.module.source.place(span_of(unit.node))
    if ir_version is not None and ir_version < needed:
        reason, help = why_newer(model, survey, ir_version, "places=False")
        raise DiagnosticError(
            [
                Diagnostic(
                    "OW354",
                    f"the model needs IR version {needed}, not {ir_version}",
                    place,
                    reason=reason,
                    help=help,
                )
            ]
        )
    model.ir_version = needed if ir_version is None else ir_version
    inferred, problem = infer(model, survey)
    complete_outputs(model, inferred)
    refuse_open(model, survey, unit, strict, problem is None)
    problem = problem or checker_problem(with_ranks(model))
    if problem is not None:
        raise DiagnosticError([_refused(unit, problem)])


def why_newer(model: ModelProto, survey: Survey, wanted: int, without_places: str) -> tuple[str, str]:
    """The reason and the help where a model needs a newer IR version than the one that is wanted."""
    if lowest_ir_version(model, survey, metadata=False) <= wanted:
        reason = "the `metadata_props` of its nodes, which say where they were made, came with that version"
        return reason, f"leave them out, `{without_places}`, or ask for a newer IR version"
    reason = "its opset, its functions or its element types came with that version"
    return reason, "ask for an older opset, or for a newer IR version"


def lowest_ir_version(model: ModelProto, survey: Survey, metadata: bool = True) -> int:
    """The lowest IR version that has all that the model uses, its `metadata` counted or not; `survey` is of it."""
    standard = [item for item in model.opset_import if item.domain in ("", "ai.onnx.ml", "ai.onnx.preview.training")]
    needed = [helper.find_min_ir_version_for(standard, ignore_unknown=True)]
    if model.graph.initializer or model.graph.sparse_initializer:
        needed.append(INITIALIZERS_IR)
    needed.extend(map(ir_version_of_function, model.functions))
    if metadata and survey.has_metadata:
        needed.append(METADATA_IR)
    codes = {*survey.elements, *_declared_codes(model)}
    needed.extend(OF_ELEMENTS.get(BY_CODE[code].name, 0) for code in codes if code in BY_CODE)
    return int(max(needed))


def _declared_codes(model: ModelProto) -> Iterator[int]:
    for graph in all_graphs(model.graph):
        for value in (*graph.input, *graph.output, *graph.value_info):
            yield _code(value.type)


def _code(type_: TypeProto) -> int:
    while not type_.HasField("tensor_type"):
        if type_.HasField("sequence_type"):
            type_ = type_.sequence_type.elem_type
        elif type_.HasField("optional_type"):
            type_ = type_.optional_type.elem_type
        elif type_.HasField("map_type"):
            type_ = type_.map_type.value_type
        else:
            return 0
    return type_.tensor_type.elem_type


# ---------------------------------------------------------------------------------------------- types of a model


def complete_outputs(model: ModelProto, inferred: dict[str, TypeProto]) -> None:
    """Gives the outputs the types, ranks and sizes that inference finds where the compiler knew none."""
    for value in model.graph.output:
        found = inferred.get(value.name)
        if found is None or not _code(found):
            continue
        sizes = found.tensor_type.shape.dim
        for size in sizes:
            if size.dim_param.startswith(MADE_UP):
                size.ClearField("dim_param")
        if not is_complete(value.type):
            value.type.CopyFrom(found)
        for own, size in zip(value.type.tensor_type.shape.dim, sizes, strict=False):
            if not own.WhichOneof("value"):
                own.CopyFrom(size)


def has_element(type_: TypeProto) -> bool:
    """Whether it says the element type."""
    return bool(_code(type_))


def is_complete(type_: TypeProto) -> bool:
    """Whether it says the element type, and of a tensor the rank."""
    return has_element(type_) and (not type_.HasField("tensor_type") or type_.tensor_type.HasField("shape"))


def refuse_open(model: ModelProto, survey: Survey, unit: Unit, strict: bool, with_outputs: bool = True) -> None:
    """Raises DiagnosticError for inputs and outputs that lack what a model must say of them. `with_outputs`: not where
    inference has failed, which leaves outputs open without a fault of their own; inputs that are open do so, too."""
    lacking = list(_open_inputs(model, unit, strict, survey.has_scan))
    if with_outputs and not lacking:
        lacking = list(_open_outputs(model, unit, strict))
    if lacking:
        raise DiagnosticError(lacking)


def without_ranks(model: ModelProto) -> tuple[list[ValueInfoProto], list[ValueInfoProto]]:
    """The inputs and the outputs of a model whose element types are known and whose ranks are not."""
    inputs, outputs = (
        [value for value in values if has_element(value.type) and not is_complete(value.type)]
        for values in (model.graph.input, model.graph.output)
    )
    return inputs, outputs


def rank_warning(model: ModelProto, name: str, place: Place | None, how: GiveRanks) -> list[Diagnostic]:
    """The warning of a model that leaves ranks open, which names all of them and says `how` their ranks are given;
    nothing where it leaves none."""
    inputs, outputs = without_ranks(model)
    if not inputs and not outputs:
        return []
    kinds = [
        f"the {kind}{'s' if len(values) > 1 else ''} {', '.join(f'`{value.name}`' for value in values)}"
        for kind, values in (("input", inputs), ("output", outputs))
        if values
    ]
    return [
        Diagnostic(
            "OW388",
            f"the model of `{name}` leaves the ranks of {' and '.join(kinds)} open",
            place,
            reason="runtimes take such a model; `onnx.checker` and tools that look for shapes may not",
            help=f"give the ranks: `{how(inputs, outputs)}`; `strict=True` refuses such a model",
            severity=Severity.WARNING,
        )
    ]


def given_by_types(inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto]) -> str:
    """How ranks are given to `to_model_proto`: those of inputs first, since those of outputs often follow from them."""
    keyword, values = ("input_types", inputs) if inputs else ("output_types", outputs)
    types = ", ".join(f'"{value.name}": {shown_matrix(value)}' for value in values)
    return f"{keyword}={{{types}}}"


def shown_matrix(value: ValueInfoProto) -> str:
    """A type with a rank, as an example for a value that has none."""
    return f'{BY_CODE[_code(value.type)].name.upper()}["N", "M"]'


STRICT = "`strict=True` asks for the rank of each input and output"
IN_SCAN = "runtimes run a `Scan` only where they find the ranks in its body, from those of the inputs"


def _open_inputs(model: ModelProto, unit: Unit, strict: bool, has_scan: bool) -> Iterator[Diagnostic]:
    spans = {item.name: item.span for item in unit.interface.inputs}
    for value, reason in open_inputs(model, strict, has_scan):
        yield Diagnostic(
            "OW354",
            f"the rank of the input `{value.name}` is not known",
            unit.module.source.place(spans.get(value.name) or span_of(unit.node)),
            reason=reason,
            help=f'annotate it, or write `input_types={{"{value.name}": FLOAT["N", "M"]}}`; '
            "a function of any rank is what `to_function_proto` gives",
        )


def open_inputs(model: ModelProto, strict: bool, has_scan: bool) -> Iterator[tuple[ValueInfoProto, str]]:
    """The inputs without a rank that need one, and why."""
    found = [value for value in model.graph.input if not is_complete(value.type)] if strict or has_scan else []
    if strict:
        yield from ((value, STRICT) for value in found)
    elif found:
        needed = inputs_of_scans(model)
        yield from ((value, IN_SCAN) for value in found if value.name in needed)


def _open_outputs(model: ModelProto, unit: Unit, strict: bool) -> Iterator[Diagnostic]:
    for value in model.graph.output:
        if not has_element(value.type):
            what, reason = "type", "neither the compiler nor ONNX's own inference finds it, and a model has types"
        elif strict and not is_complete(value.type):
            what, reason = "rank", f"neither the compiler nor ONNX's own inference finds it, and {STRICT}"
        else:
            continue
        yield Diagnostic(
            "OW354",
            f"the {what} of the output `{value.name}` is not known",
            unit.module.source.place(span_of(unit.node)),
            reason=reason,
            help="annotate what the function returns, or give it in `output_types`; a rank that differs "
            "from call to call cannot be that of an output",
        )


def _refused(unit: Unit, problem: str) -> Diagnostic:
    return Diagnostic(
        "OW358",
        f"ONNX refuses the model of `{unit.node.name}`",
        unit.module.source.place(span_of(unit.node)),
        reason=problem,
        help="fix the call that is named; if the types and sizes that it names are annotated, see whether they "
        "are meant",
    )
