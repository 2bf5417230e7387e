"""Rewrites a model for a consumer that takes an older opset, IR version or fewer kernels than the model asks for, and
converts models to another opset, older or newer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from onnx import FunctionProto, ModelProto, NodeProto

from opwright.bundle.format import Bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.downlevel.node_verdicts import Restamped, Verdict, judge_model
from opwright.downlevel.other_releases import functions_of_others, own_nodes
from opwright.downlevel.replacements import put_replacements
from opwright.downlevel.stamp import Noted, put_initializers, stamp_imports, write_form, write_note
from opwright.downlevel.target import Target, opset_alone, target_of_opset, target_of_runtime
from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.ir_versions import DEFAULTS_IR, FUNCTIONS_IR, METADATA_IR
from opwright.graphs.model_forms import AnyModel, ModelPath, SameForm, given_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_graphs
from opwright.link.apply import add_functions, call_functions, declare_plainly, inline_plan
from opwright.link.catalogue import Catalogue, layered, merge_libraries
from opwright.link.check import check_model, undefined_nodes, without_weights
from opwright.link.detach import detach_libraries
from opwright.link.digests import record_of
from opwright.link.inferred_parts import inferred_values
from opwright.link.library_forms import Libraries, given_libraries
from opwright.link.metadata import is_polyfilled
from opwright.link.missing_types import complete_bodies, keep_completed
from opwright.link.model_records import gather_records, spread_records
from opwright.link.moved_constants import InitializerNote
from opwright.link.node_notes import MOVED, add_to_notes, newest_note
from opwright.link.plan import Plan, choose_opset, make_plan
from opwright.link.propagate import imports_of
from opwright.link.standard_functions import refuse_standard_functions
from opwright.link.training_graphs import refuse_training_graphs
from opwright.link.value_sources import Sources
from opwright.opsets.domains import STANDARD_DOMAINS, normal_domain
from opwright.variants import Profile

DEFAULT_LIBRARY = "opwright_std"


@dataclass(frozen=True, slots=True)
class Treatment:
    """What was done to one node: `operator` is `domain::Name`, `since_version` the version that it is of in the model.

    `identity` is the function that it calls now; empty for a node that became one of `version` of operator `became`.
    """

    place: str
    operator: str
    since_version: int
    identity: str
    version: int | None
    became: str = ""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The new model, its opset, what was done, and warnings and notes; `functions` are those added, callees first."""

    model: ModelProto
    opset: int
    treatments: tuple[Treatment, ...]
    functions: tuple[FunctionId, ...]
    inlined: bool
    diagnostics: tuple[Diagnostic, ...]


@overload
def polyfill(
    model: ModelPath,
    *,
    opset: int | None = None,
    runtime: str = "",
    libraries: Libraries | None = None,
    inline: bool = False,
) -> ModelProto: ...


@overload
def polyfill(
    model: SameForm,
    *,
    opset: int | None = None,
    runtime: str = "",
    libraries: Libraries | None = None,
    inline: bool = False,
) -> SameForm: ...


def polyfill(
    model: AnyModel,
    *,
    opset: int | None = None,
    runtime: str = "",
    libraries: Libraries | None = None,
    inline: bool = False,
) -> Any:
    """The model as a consumer runs it that takes no opset newer than `opset`, or as a release of onnxruntime does.

    `model` is a ModelProto, the bytes of one, an onnx_ir.Model or a torch.onnx.ONNXProgram, and so is the result; of
    a path the result is a ModelProto that has its weights, those in other files too.

    `runtime` is `ort==1.17`, or `ort` for the installed release. Operators that the consumer lacks become calls of
    functions of the libraries (opwright_std unless others are given, as to `attach`), or with `inline` their
    nodes; others are kept where their older version computes the same. The argument is not changed, and `detach` gives
    it back. Raises DiagnosticError (OW581 to OW583, and what `attach` raises) with every node that cannot be had.
    """
    target = choose_target(opset, runtime)
    given = given_model(model, leave_weights=True)
    bundles = given_libraries(DEFAULT_LIBRARY if libraries is None else libraries)
    return given.give_back(polyfill_libraries(given.proto, bundles, target, inline=inline, file=given.file).model)


@overload
def convert(model: ModelPath, *, opset: int, libraries: Libraries = ()) -> ModelProto: ...


@overload
def convert(model: SameForm, *, opset: int, libraries: Libraries = ()) -> SameForm: ...


def convert(model: AnyModel, *, opset: int, libraries: Libraries = ()) -> Any:
    """The model at another opset of ai.onnx, older or newer, which computes the same values.

    `model` is a ModelProto, the bytes of one, an onnx_ir.Model or a torch.onnx.ONNXProgram, and so is the result; of
    a path the result is a ModelProto that has its weights, those in other files too.

    Nodes stay where their operator means the same at both opsets, and are rewritten where that is known to be exact, in
    nested graphs and functions too. Attached functions get the bodies that their libraries have for the opset; these
    libraries must be given. Operators that the opset lacks become calls of functions of libraries that are given. The
    IR version and other domains stay. The argument is not changed, and `detach` gives it back. Raises DiagnosticError
    (OW546, OW581, OW582, OW584, OW585, OW589, and what `attach` raises) with every node that cannot be had.
    """
    target = opset_alone(opset)
    given = given_model(model)
    bundles = given_libraries(libraries)
    return given.give_back(polyfill_libraries(given.proto, bundles, target, file=given.file).model)


def choose_target(opset: int | None, runtime: str) -> Target:
    """The consumer that these describe. Raises DiagnosticError (OW584) when there is none, or they do not agree."""
    if runtime:
        return target_of_runtime(runtime, opset)
    if opset is None:
        help_text = "write --opset 18, or --runtime ort==1.17"
        raise DiagnosticError([Diagnostic("OW584", "neither an opset nor a runtime is given", help=help_text)])
    return target_of_opset(opset)


def polyfill_libraries(
    model: ModelProto, libraries: Sequence[Bundle], target: Target, *, inline: bool = False, file: str = "model"
) -> Rewritten:
    """`polyfill` with an account of what was done; `file` names the model in messages."""
    check_structure(model, file)
    refuse_training_graphs(model, file)
    refuse_standard_functions(model.functions, "the model has", file)
    catalogue = merge_libraries(libraries)
    judged = _judge_copy(model, catalogue, libraries, target, file, uncalled=not inline)
    result, opset, verdict = judged.model, judged.opset, judged.verdict
    catalogue = replace(catalogue, bodies=layered([verdict.bodies, catalogue.bodies]))
    diagnostics: list[Diagnostic] = [*target.findings]
    inline_reason = "" if inline else _why_inline(result, verdict, target)
    if inline_reason:
        diagnostics.append(_inlined(target, inline_reason, file))
    inline = inline or bool(inline_reason)
    plan = make_plan(result, catalogue, verdict.served, opset=opset, profile=Profile.PORTABLE, file=file)
    ir_version = _ir_version(result, bool(plan.functions) and not inline, target)
    treatments = (*_served(verdict), *(_restamped(item) for item in verdict.restamped))
    stays = not (treatments or verdict.left_out or inline)
    if stays and ir_version == result.ir_version and _keeps(result, opset, target):
        diagnostics.append(_nothing_to_do(target, file))
        gather_records(result)
        return Rewritten(result, opset, (), (), False, tuple(diagnostics))
    before = ModelProto(ir_version=result.ir_version, opset_import=result.opset_import)
    noted = None if inline else Noted.of(_without_libraries(result, file), opset, verdict.left_out)
    if noted is not None:
        diagnostics += _leave_out(result, verdict.left_out, file)
    complete_bodies(result, lambda: without_weights(result), remember=not inline)
    constants = _rewrite_nodes(judged, plan, "" if noted is None else noted.mark)
    add_functions(result, plan)
    if inline:
        inline_plan(result, before, plan)
    stamp_imports(result, opset, target)
    if noted is not None:
        write_note(result, noted, constants)
    result.ir_version = ir_version
    declare_plainly(result)
    keep_completed(result, model, remember=not inline)
    gather_records(result)
    diagnostics += [*undefined_nodes(result, file), *check_model(result, model, file, complete=True)]
    functions = () if inline else tuple(function_id(function) for function in plan.functions)
    return Rewritten(result, opset, treatments, functions, inline, tuple(diagnostics))


@dataclass(frozen=True, slots=True)
class _Judged:
    """A copy of a model, and what is to be done to it for an opset. `calls` are those of its operators of the standard
    that called functions on request before it was taken back."""

    model: ModelProto
    opset: int
    verdict: Verdict
    calls: Sequence[NodeProto]


def _judge_copy(
    model: ModelProto, catalogue: Catalogue, libraries: Sequence[Bundle], target: Target, file: str, *, uncalled: bool
) -> _Judged:
    """The copy is as the model was before it was rewritten or functions were linked, where these are done anew."""
    result = ModelProto()
    result.CopyFrom(model)
    spread_records(result, file)
    calls: Sequence[NodeProto] = ()
    opset = _goal(result, catalogue, target)
    if opset != choose_opset(result, catalogue):
        result, calls = _as_it_was(result, catalogue, libraries, file)
        opset = _goal(result, catalogue, target)
    verdict = _judge(result, catalogue, opset, target, file, calls, uncalled=uncalled)
    if is_polyfilled(result) and _is_asked(result, verdict, opset, target):
        # What is written down for `detach` says how the model was before all of it, and is not written twice.
        result, calls = _as_it_was(result, catalogue, libraries, file)
        verdict = _judge(result, catalogue, opset, target, file, calls, uncalled=uncalled)
    return _Judged(result, opset, verdict, calls)


def _rewrite_nodes(judged: _Judged, plan: Plan, mark: str) -> list[InitializerNote]:
    """Makes nodes those of other versions, in place, and calls; gives the initializers that are added for that. What is
    noted on a node has the `mark`."""
    model, verdict = judged.model, judged.verdict
    sources = Sources(model)
    forms = [item.form for item in verdict.restamped]
    constants = put_initializers(model, forms)
    for form in forms:
        if form.is_one_node and not form.is_initializer:
            write_form(form, sources, mark)
    put_replacements(model, (form for form in forms if not form.is_one_node), mark)
    call_functions(model, verdict.served, plan, sources)
    asked = {id(node) for node in judged.calls}
    add_to_notes((item.node for item in verdict.served if item.replaced and id(item.node) not in asked), _NEEDED, True)
    add_to_notes((item.node for item in verdict.served), MOVED, mark)
    return constants


def _goal(model: ModelProto, catalogue: Catalogue, target: Target) -> int:
    """The opset that the model is to have."""
    return target.opset if target.exactly else min(choose_opset(model, catalogue), target.opset)


def _as_it_was(
    model: ModelProto, catalogue: Catalogue, libraries: Sequence[Bundle], file: str
) -> tuple[ModelProto, list[NodeProto]]:
    """The model before it was rewritten or functions were linked for its own opset; they are linked again for another.
    With it, those of its operators of the standard that called functions on request (`attach --replace`).

    Raises DiagnosticError (OW585) when some are of a library, or of a release of it, that was not given.
    """
    linked = [record for function in model.functions if (record := record_of(function)) is not None]
    missing = sorted({record.origin for record in linked if record.identity not in catalogue.functions})
    if missing:
        text = f"the model holds functions of {', '.join(missing)}, which is not given"
        reason = "they were linked for the model's opset, and another opset needs other bodies of them"
        help_text = "give that library too with --library"
        raise DiagnosticError([Diagnostic("OW585", text, Place(file), reason, help_text)])
    if not linked and not is_polyfilled(model):
        return model, []
    others = functions_of_others(model, catalogue, libraries, file)
    if others:
        raise DiagnosticError(others)
    for node in own_nodes(model):
        if _is_requested(node):
            node.metadata_props.add(key=_AGAIN)
    result = detach_libraries(model, file).model
    return result, [node for node in own_nodes(result) if _unmarked(node)]


_NEEDED = "needed"  # in the note on a call: the opset asked for it, and at another one its operator may do again
_AGAIN = "opwright.again"  # of a node, while its model is detached to be linked again


def _is_requested(node: NodeProto) -> bool:
    """Whether a node was one of the standard's before it was made a call, for another reason than its opset."""
    memo = newest_note(node) or {}
    was_standard = "domain" in memo and (memo["domain"] or "") in ("ai.onnx", *STANDARD_DOMAINS)
    return was_standard and _NEEDED not in memo


def _without_libraries(model: ModelProto, file: str) -> ModelProto:
    """The model as it was before functions were attached; as it is, where that can be known no more."""
    if not any(record_of(function) is not None for function in model.functions):
        return model
    try:
        return detach_libraries(model, file).model
    except DiagnosticError:  # of a function that was altered, say: so the result cannot be taken back either
        return model


def _unmarked(node: NodeProto) -> bool:
    """Whether a node was marked; it is no more."""
    for index, item in enumerate(node.metadata_props):
        if item.key == _AGAIN:
            del node.metadata_props[index]
            return True
    return False


def _judge(
    model: ModelProto,
    catalogue: Catalogue,
    opset: int,
    target: Target,
    file: str,
    calls: Sequence[NodeProto],
    *,
    uncalled: bool,
) -> Verdict:
    """The verdict with the help of what onnx infers of ranks and types, which leaves no trace in the model."""
    graphs = list(all_graphs(model.graph))
    counts = [len(graph.value_info) for graph in graphs]
    for graph, values in inferred_values(without_weights(model), model.graph):
        given = (value for value in graph.output if value.type.tensor_type.HasField("shape"))
        declared = {value.name for value in (*graph.input, *given, *graph.value_info)}
        graph.value_info.extend(value for value in values if value.name not in declared)
    try:
        return judge_model(model, catalogue, opset=opset, target=target, file=file, calls=calls, uncalled=uncalled)
    finally:
        for graph, count in zip(graphs, counts, strict=True):
            del graph.value_info[count:]


def _why_inline(model: ModelProto, verdict: Verdict, target: Target) -> str:
    """Why the result cannot hold functions; empty where it can, or needs none."""
    if target.ir_version < FUNCTIONS_IR and (verdict.served or model.functions):
        return f"functions came with IR version {FUNCTIONS_IR}"
    if target.ir_version < METADATA_IR and any(function.overload for function in model.functions):
        return f"overloads of functions, which the model has, came with IR version {METADATA_IR}"
    own = (function for function in model.functions if record_of(function) is None)
    if target.ir_version < DEFAULTS_IR and any(function.attribute_proto for function in own):
        return f"defaults of attributes, which the model's functions have, came with IR version {DEFAULTS_IR}"
    return ""


def _ir_version(model: ModelProto, adds_functions: bool, target: Target) -> int:
    wanted = min(model.ir_version, target.ir_version)
    if not adds_functions:
        return wanted
    return max(wanted, FUNCTIONS_IR)


def _is_asked(model: ModelProto, verdict: Verdict, opset: int, target: Target) -> bool:
    """Whether anything of the model is to be another."""
    is_older = target.ir_version < model.ir_version
    return bool(verdict.served or verdict.restamped or verdict.left_out) or is_older or not _keeps(model, opset, target)


def _keeps(model: ModelProto, opset: int, target: Target) -> bool:
    """Whether the imports can stay as they are."""
    owners: list[ModelProto | FunctionProto] = [model]
    owners += [function for function in model.functions if record_of(function) is None]
    return all(_takes(owner, opset, target) for owner in owners)


def _takes(owner: ModelProto | FunctionProto, opset: int, target: Target) -> bool:
    for item in owner.opset_import:
        domain = normal_domain(item.domain)
        limit = target.version_of(domain) if domain else opset
        if limit is not None and item.version > limit:
            return False
        if target.exactly and not domain and item.version != opset:
            return False
    return not target.exactly or isinstance(owner, FunctionProto) or "" in imports_of(owner)


def _served(verdict: Verdict) -> list[Treatment]:
    found = []
    for served, place in zip(verdict.served, verdict.places, strict=True):
        entry = served.instance.entry
        operator = f"{entry.domain}::{entry.name}"
        found.append(Treatment(place, operator, entry.since_version, entry.identity, None))
    return found


def _restamped(item: Restamped) -> Treatment:
    operator = f"{item.here.domain or 'ai.onnx'}::{item.here.name}"
    became = f"{item.there.domain or 'ai.onnx'}::{item.there.name}"
    return Treatment(item.place, operator, item.here.since_version, "", item.there.since_version, became)


def _leave_out(model: ModelProto, functions: Mapping[FunctionId, str], file: str) -> list[Diagnostic]:
    """Takes functions out of the model, in place; a warning for each."""
    for index in reversed(range(len(model.functions))):
        if function_id(model.functions[index]) in functions:
            del model.functions[index]
    help_text = "the model computes the same without it, and `opwright detach` puts it back"
    return [
        Diagnostic(
            "OW547",
            f"the function {domain}::{name}, which nothing calls, is left out",
            Place(file),
            reason,
            help_text,
            severity=Severity.WARNING,
        )
        for (domain, name, _), reason in functions.items()
    ]


def _inlined(target: Target, reason: str, file: str) -> Diagnostic:
    text = f"the functions were inlined, for {target.name} takes IR version {target.ir_version} at most"
    return Diagnostic("OW586", text, Place(file), reason, severity=Severity.NOTE)


def _nothing_to_do(target: Target, file: str) -> Diagnostic:
    older = "its opsets and its IR version are not newer than what that takes"
    reason = "that is the opset that it imports" if target.exactly else older
    text = f"the model is one for {target.name} already"
    return Diagnostic("OW587", text, Place(file), reason, severity=Severity.NOTE)
