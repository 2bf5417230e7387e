"""The model of what has been recorded: emitted, completed by ONNX's inference, and checked."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence

from google.protobuf.message import DecodeError
from onnx import FunctionProto, GraphProto, ModelProto, ValueInfoProto

from opwright.builder.emission import INLINED, emit_recorded
from opwright.builder.initializer_data import Kept
from opwright.builder.merging import merge_equal
from opwright.builder.recorder import Recorder
from opwright.diagnostics.diagnostic import DiagnosticWarning, Place, Related
from opwright.eager.place import place_of
from opwright.graphs.external_data import aligned
from opwright.graphs.ids import function_id
from opwright.graphs.initializers import SEEN_BY_INFERENCE
from opwright.graphs.inline import Inliner
from opwright.graphs.walk import all_nodes
from opwright.lang.emit import write_type
from opwright.live.closure import Closure
from opwright.live.compiled import Run
from opwright.model.assembly import MOST_NODES, Assembly, assemble
from opwright.model.finish import (
    complete_outputs,
    has_element,
    is_complete,
    lowest_ir_version,
    open_inputs,
    rank_warning,
    shown_matrix,
    why_newer,
)
from opwright.model.survey import Survey
from opwright.model.verdict import checker_problem, infer, with_ranks
from opwright.model_options import ModelOptions, NamedFunction

LARGEST = (1 << 31) - 1  # bytes of a protobuf message
_SHALLOW = 20  # nested graphs that every parser reads, functions inlined into them included


def make_model(recorder: Recorder, options: ModelOptions, beside: Collection[str] = (), file: str = "") -> ModelProto:
    """`beside`: the initializers that are to stand in `file`, one behind the other, where the model has them."""
    low = recorder.low
    if not recorder.outputs:
        low.error("OW354", "the model has no outputs", None, "a graph computes something", 'write `b.output("y", y)`')
    outside = {name: (kept.location, kept.offset) for name, kept in recorder.kept.items() if kept.array is None}
    model = ModelProto(producer_name=options.producer_name, doc_string=low.function.doc)
    closure = closure_of(recorder)
    imports = emit_recorded(recorder, model.graph, recorder.outputs, closure.identify, options.places)
    survey = add_functions(recorder, model, closure, imports, options.functions).leave_out(options.profile)
    used = _used(model.graph)
    carried = {name: kept for name, kept in recorder.kept.items() if name in used}
    refuse_changed(recorder, carried)
    moved = {name: kept for name, kept in carried.items() if name in beside}
    offsets = aligned([kept.length for kept in moved.values()])
    outside |= {name: (file, offset) for name, offset in zip(moved, offsets, strict=True)}
    _refuse_too_large(recorder, [kept for name, kept in carried.items() if name not in outside])
    late = {name: kept for name, kept in carried.items() if name in outside or _elements(kept) > SEEN_BY_INFERENCE}
    for name, kept in carried.items():
        if name in late:
            assert kept.value is not None
            write_type(model.graph.input.add(name=name), kept.value.type)
        else:
            kept.write(model.graph.initializer.add(name=name))
    if low.deepest > _SHALLOW:
        _refuse_too_deep(recorder, model)
    _finish(recorder, model, survey, options.ir_version, options.strict)
    _warn_of_ranks(recorder, model)
    _add_late(model, late, outside)
    return model


def refuse_changed(recorder: Recorder, carried: Mapping[str, Kept]) -> None:
    """What is made of the graph would silently have other elements than those that were given."""
    for name, kept in carried.items():
        if kept.is_changed:
            recorder.low.error(
                "OW387",
                f"the array of the initializer `{name}` has been changed since it was given",
                None,
                reason="large arrays are not copied, so that the model would have the new elements",
                help=f'give a copy: `b.initializer("{name}", array.copy())`',
                related=() if kept.given is None else (Related(kept.given, "given here"),),
            )


def closure_of(recorder: Recorder) -> Closure:
    """What finds the functions that a graph calls."""
    return Closure(Run(recorder.low.target.opset), None)


def add_functions(
    recorder: Recorder,
    model: ModelProto,
    closure: Closure,
    imports: Mapping[str, int],
    functions: Collection[NamedFunction | str] | None = None,
) -> Assembly:
    """Adds to a model what its graph calls, and the imports that all of it needs."""
    assembly = assemble(model, closure, imports, place_of(recorder.low.frame) or Place(recorder.low.function.name))
    if recorder.inlined:
        _inline(model)
    merge_equal(model, closure.given_names())
    closure.refuse_changes(set(map(function_id, model.functions)))
    assembly.settle(functions)
    return assembly


def _inline(model: ModelProto) -> None:
    """Puts bodies in the place of the calls that are marked."""
    by_id = {function_id(function): function for function in model.functions}
    taken = _used(model.graph) | {value.name for value in model.graph.value_info}

    def select(identity: tuple[str, str, str]) -> FunctionProto | None:
        domain, name, overload = identity
        return by_id[domain.removeprefix(INLINED), name, overload] if domain.startswith(INLINED) else None

    Inliner(select, taken, {node.name for node in all_nodes(model.graph.node)}, MOST_NODES).rewrite(model.graph)


def _used(graph: GraphProto) -> set[str]:
    """All names of values in a graph and in those inside it."""
    names = {item.name for item in (*graph.input, *graph.output)}
    for node in all_nodes(graph.node):
        names.update(node.input)
        names.update(node.output)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                names.update(item.name for item in (*attribute.g.input, *attribute.g.output))
    return names


def _elements(kept: Kept) -> int:
    count = 1
    for size in kept.dims:
        count *= size
    return count


def _refuse_too_large(recorder: Recorder, inside: Iterable[Kept]) -> None:
    size = sum(kept.length for kept in inside)
    if size > LARGEST:
        recorder.low.error(
            "OW384",
            f"the initializers have {size:,} bytes, and a protobuf message holds {LARGEST:,}",
            None,
            reason="a ModelProto is one message, and tensors in it are a part of it",
            help='write the model and its tensors to files: `b.save("model.onnx")`',
        )


def _refuse_too_deep(recorder: Recorder, model: ModelProto) -> None:
    try:
        ModelProto.FromString(model.SerializeToString())
    except DecodeError as error:
        recorder.low.error(
            "OW384",
            "the model cannot be read again",
            None,
            reason=f"protobuf says: {error}",
            help="nest fewer graphs, or move inner ones into functions that stay functions",
        )


def _finish(recorder: Recorder, model: ModelProto, survey: Survey, ir_version: int | None, strict: bool) -> None:
    low = recorder.low
    needed = lowest_ir_version(model, survey)
    if ir_version is not None and ir_version < needed:
        reason, help = why_newer(model, survey, ir_version, "debug=False")
        low.error("OW354", f"the model needs IR version {needed}, not {ir_version}", None, reason, help)
    model.ir_version = needed if ir_version is None else ir_version
    inferred, problem = infer(model, survey)
    complete_outputs(model, inferred)
    for value, reason in open_inputs(model, strict, survey.has_scan):
        low.error(
            "OW354",
            f"the rank of the input `{value.name}` is not known",
            None,
            reason=reason,
            help=f"say it: `{_given_by_inputs([value], [])}`",
        )
    if problem is None:
        for value in model.graph.output:
            if not (is_complete(value.type) if strict else has_element(value.type)):
                low.error(
                    "OW354",
                    f"the {'rank or the ' if strict else ''}type of the output `{value.name}` is not known",
                    None,
                    reason="neither the compiler nor ONNX's own inference finds it, and a model's outputs have it",
                    help=f'say what it is: `b.output("{value.name}", y, FLOAT["N", 4])`',
                )
    problem = problem or checker_problem(with_ranks(model))
    if problem is not None:
        low.error(
            "OW358",
            "ONNX refuses the model",
            None,
            reason=problem,
            help="fix the operator that is named; its place is in the node's metadata_props",
        )


def _given_by_inputs(inputs: Sequence[ValueInfoProto], outputs: Sequence[ValueInfoProto]) -> str:
    """How ranks are given to a builder."""
    if inputs:
        return "; ".join(f'b.input("{value.name}", {shown_matrix(value)})' for value in inputs)
    return "; ".join(f'b.output("{value.name}", y, {shown_matrix(value)})' for value in outputs)


def _warn_of_ranks(recorder: Recorder, model: ModelProto) -> None:
    """Warns, at the line that asks for the model, where inputs or outputs of it have no rank."""
    frame = recorder.low.frame
    for item in rank_warning(model, model.graph.name, place_of(frame), _given_by_inputs):
        warning = DiagnosticWarning(item)
        if frame is None:
            warnings.warn(warning, stacklevel=2)
        else:
            registry = frame.f_globals.setdefault("__warningregistry__", {})
            module = str(frame.f_globals.get("__name__", ""))
            warnings.warn_explicit(warning, None, frame.f_code.co_filename, frame.f_lineno, module, registry)


def _add_late(model: ModelProto, late: Mapping[str, Kept], outside: Mapping[str, tuple[str, int]]) -> None:
    """Makes initializers of what stood for inputs while inference ran."""
    graph = model.graph
    for name, kept in late.items():
        tensor = graph.initializer.add(name=name)
        if name in outside:
            kept.refer(tensor, *outside[name])
        else:
            kept.write(tensor)
    if late:
        inputs = [item for item in graph.input if item.name not in late]
        del graph.input[:]
        graph.input.extend(inputs)
