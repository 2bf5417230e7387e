"""ModelProtos of functions under `@script`: the body as the graph, with the functions that it calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from onnx import ModelProto

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.functions import OnnxFunction
from opwright.graphs.ids import function_id
from opwright.graphs.left_out import leave_out_unread
from opwright.graphs.walk import all_nodes
from opwright.lang.emit import emit_graph
from opwright.lang.families.solve import lower_function
from opwright.lang.lower.function import Lowered
from opwright.lang.lower.state.poison import Question
from opwright.lang.meaning.function_unit import Target, Unit
from opwright.lang.text.source import span_of
from opwright.live.closure import Closure
from opwright.live.collecting import seldom_collected
from opwright.live.compiled import Run, target_opset
from opwright.live.declared_names import rename_graph
from opwright.live.protos import places_of
from opwright.live.show_warnings import show_warnings
from opwright.live.specialise import specialise, with_output_types, write_declared_types
from opwright.model.assembly import assemble
from opwright.model.finish import finish, given_by_types, rank_warning, refuse_open
from opwright.model_options import ModelOptions


@seldom_collected
def model_proto(function: OnnxFunction, attributes: Mapping[str, object], options: ModelOptions) -> ModelProto:
    """See `OnnxFunction.to_model_proto`."""
    run = Run(target_opset(function, options.wanted_opset))
    unit, _ = run.unit(function)
    unit, target = specialise(function, unit, run.opset, attributes, options.input_types)
    lowered = _lower(run, function, unit, target)
    assert lowered.function is not None
    outputs = with_output_types(function, unit, lowered, options.output_types)
    closure = Closure(run, function, options.places)
    place_of = places_of(unit, lowered) if options.places else None
    graph, imports = emit_graph(lowered.function, outputs, closure.identify, place_of)
    documented = (function.__doc__ or "") if options.doc_string is None else options.doc_string
    model = ModelProto(producer_name=options.producer_name, doc_string=documented)
    model.graph.CopyFrom(graph)
    place = unit.module.source.place(span_of(unit.node))
    kept = {identity for item in options.kept_functions for identity in closure.keep(item)}
    assembly = assemble(model, closure, imports, place)
    called = {function_id(proto) for proto in assembly.called}
    leave_out_unread(all_nodes(model.graph.node), [item.name for item in model.graph.output], imports, called)
    with _placed(place):
        assembly.settle(options.functions, options.wanted_imports, kept)
    survey = assembly.leave_out(options.profile)
    with _placed(place):
        options.carried.add_small(model)
    finish(model, unit, survey, options.ir_version, options.strict)
    if options.exact_types:
        write_declared_types(model.graph, unit, lowered.function)
        refuse_open(model, survey, unit, options.strict)
    else:
        show_warnings(function, rank_warning(model, function.name, place, given_by_types))
    options.carried.add_rest(model)
    if options.names:
        with _placed(place):
            rename_graph(model, options.names)
    return model


@contextmanager
def _placed(place: Place) -> Iterator[None]:
    """Findings about an argument stand at the function of which the model is made."""
    try:
        yield
    except DiagnosticError as error:
        raise DiagnosticError([replace(item, place=item.place or place) for item in error.diagnostics]) from None


def _lower(run: Run, function: OnnxFunction, unit: Unit, target: Target) -> Lowered:
    """The body for these types and values. Raises DiagnosticError."""
    lowered, problems = run.with_callees(function, lambda: lower_function(unit, target))
    if isinstance(lowered, Question):
        raise DiagnosticError([_unanswered(unit, lowered)])
    if lowered.function is None or problems:
        raise DiagnosticError([*problems, *lowered.diagnostics])
    show_warnings(function, lowered.diagnostics)
    return lowered


def _unanswered(unit: Unit, question: Question) -> Diagnostic:
    node = unit.node
    owner = next(
        (item.name for item in unit.interface.inputs if unit.declaration.inputs[item.name].type == question.axis), None
    )
    span = getattr(question, "span", None) or (
        node.lineno,
        node.col_offset,
        node.lineno,
        node.col_offset + len(node.name) + 4,
    )
    what = f"the element type of `{owner}`" if owner is not None else f"`{question.axis}`"
    return Diagnostic(
        "OW354",
        f"a model of `{node.name}` needs to know {what}",
        unit.module.source.place(span),
        reason="the function asks a static question about it, and a model has one answer",
        help="annotate the parameter, or give its type in `input_types`",
    )
