"""ModelProtos of living functions: the body as the graph, the functions that it calls beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from onnx import FunctionProto, GraphProto, ModelProto, helper

from opwright.diagnostics.model import Diagnostic, DiagnosticError
from opwright.functions import OnnxFunction
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.initializers import Carried
from opwright.graphs.inline import Inliner, inline_into
from opwright.graphs.left_out import leave_out_defaults, leave_out_unread
from opwright.graphs.walk import all_graphs, all_nodes
from opwright.lang.emit import emit_graph
from opwright.lang.lower.context import NeedsFact
from opwright.lang.lower.function import Lowered, Target, Unit
from opwright.lang.solve import lower_function
from opwright.lang.source import span_of
from opwright.link.flatten import flatten
from opwright.link.naming import Profile
from opwright.live.closure import Closure, choose_functions
from opwright.live.compiled import Run, target_opset
from opwright.live.declared_imports import declare_imports
from opwright.live.declared_names import rename_graph
from opwright.live.finish import finish, given_by_types, rank_warning, refuse_open
from opwright.live.libraries import check_imports, unify_imports
from opwright.live.overloads import use_overloads
from opwright.live.protos import places_of
from opwright.live.show_warnings import show_warnings
from opwright.live.specialise import Types, specialise, with_output_types, write_declared_types
from opwright.opsets.domains import normal_domain
from opwright.opsets.opset import Opset

MOST_NODES = 1_000_000  # in the graph, when functions are inlined into it


def model_proto(
    function: OnnxFunction,
    attributes: Mapping[str, object],
    *,
    input_types: Types,
    output_types: Types,
    opset: Opset | int | None,
    ir_version: int | None,
    functions: Collection[OnnxFunction | str] | None,
    producer_name: str,
    doc_string: str | None,
    names: Mapping[str, str],
    opset_imports: Mapping[str, int] | None,
    carried: Carried,
    exact_types: bool,
    strict: bool,
    places: bool,
    profile: str,
) -> ModelProto:
    """See `OnnxFunction.to_model_proto`."""
    by_overload = Profile(profile) is Profile.OVERLOAD
    wanted = None if opset_imports is None else {normal_domain(key): value for key, value in opset_imports.items()}
    if opset is None and wanted is not None:
        opset = wanted.get("")
    run = Run(target_opset(function, opset))
    unit, _ = run.unit(function)
    unit, target = specialise(function, unit, run.opset, attributes, input_types)
    lowered = _lower(run, function, unit, target)
    assert lowered.function is not None
    outputs = with_output_types(function, unit, lowered, output_types)
    closure = Closure(run, function, places)
    place_of = places_of(unit, lowered) if places else None
    graph, imports = emit_graph(lowered.function, outputs, closure.identify, place_of)
    called = closure.protos()
    documented = (function.__doc__ or "") if doc_string is None else doc_string
    identities = {function_id(proto) for proto in called}
    leave_out_unread(all_nodes(graph.node), [item.name for item in graph.output], imports, identities)
    model = ModelProto(producer_name=producer_name, doc_string=documented)
    model.graph.CopyFrom(graph)
    model.functions.extend(called)
    versions = dict(imports)
    for item in (entry for proto in called for entry in proto.opset_import):
        versions[item.domain] = max(item.version, versions.get(item.domain, 1))
    place = unit.module.source.place(span_of(unit.node))
    living = {function_id(proto) for proto in called} - closure.library.protos.keys()
    check_imports(graph.node, imports, versions, living, place)
    for proto in called:
        check_imports(proto.node, {item.domain: item.version for item in proto.opset_import}, versions, living, place)
    choose_kept(model, choose_functions(functions, called, closure.family_names()))
    flatten_calls(model)
    inside = (node.domain for proto in model.functions for node in all_nodes(proto.node))
    used = {"", *(node.domain for node in all_nodes(model.graph.node)), *inside}
    used.update(proto.domain for proto in model.functions)
    model.opset_import.extend(
        helper.make_opsetid(domain, version) for domain, version in sorted(versions.items()) if domain in used
    )
    unify_imports(model.functions, versions)
    if wanted is not None:
        declare_imports(model, wanted)
    leave_out_defaults(model)
    if by_overload:
        use_overloads(model, closure.overload_ids())
    carried.add_small(model)
    finish(model, unit, ir_version, strict)
    if exact_types:
        write_declared_types(model.graph, unit, lowered.function)
        refuse_open(model, unit, strict)
    else:
        show_warnings(function, rank_warning(model, function.name, place, given_by_types))
    carried.add_rest(model)
    if names:
        rename_graph(model, names)
    return model


def _lower(run: Run, function: OnnxFunction, unit: Unit, target: Target) -> Lowered:
    """The body for these types and values. Raises DiagnosticError."""
    lowered, problems = run.with_callees(function, lambda: lower_function(unit, target, {}))
    if isinstance(lowered, NeedsFact):
        raise DiagnosticError([_unanswered(unit, lowered)])
    if lowered.function is None or problems:
        raise DiagnosticError([*problems, *lowered.diagnostics])
    show_warnings(function, lowered.diagnostics)
    return lowered


def _unanswered(unit: Unit, question: NeedsFact) -> Diagnostic:
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


def choose_kept(model: ModelProto, kept: set[FunctionId] | None) -> None:
    """Inlines the functions that are not to stay, into the graph and into those that do."""
    if kept is None:
        return
    by_id = {function_id(function): function for function in model.functions}

    def select(identity: FunctionId) -> FunctionProto | None:
        return None if identity in kept else by_id.get(identity)

    taken = {name for graph in all_graphs(model.graph) for name in _names_of(graph)}
    Inliner(select, taken, set(), MOST_NODES).rewrite(model.graph)
    remaining = [function for function in model.functions if function_id(function) in kept]
    for function in remaining:
        inline_into(function, select)
    _replace(model, remaining)


def _names_of(graph: GraphProto) -> Iterator[str]:
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value.name
    for node in graph.node:
        yield from node.output


def flatten_calls(model: ModelProto) -> None:
    """Shortens chains of calls that checkers refuse, and drops what nothing calls any more."""
    roots = {call_id(node) for node in all_nodes(model.graph.node)}
    flat = {function_id(function): function for function in flatten(list(model.functions), roots)}
    pending, reached = list(roots), set(roots)
    while pending:
        function = flat.get(pending.pop())
        for node in all_nodes(function.node) if function is not None else ():
            identity = call_id(node)
            if identity not in reached:
                reached.add(identity)
                pending.append(identity)
    _replace(model, [function for identity, function in flat.items() if identity in reached])


def _replace(model: ModelProto, functions: Sequence[FunctionProto]) -> None:
    kept = list(functions)
    del model.functions[:]
    model.functions.extend(kept)
