"""Attaches libraries to a model: the nodes they serve call functions that the model then holds."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Collection, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, overload

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, helper

from opwright.bundle.call_interface import inputs_of_call, outputs_of
from opwright.bundle.format import Bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.graphs.ids import FunctionId, callees_first, function_id
from opwright.graphs.inline import inline_model
from opwright.graphs.inlined_names import keep_apart
from opwright.graphs.ir_versions import DEFAULTS_IR, METADATA_IR
from opwright.graphs.model_forms import AnyModel, ModelPath, SameForm, given_model
from opwright.graphs.structure import refuse_expansion
from opwright.graphs.walk import all_graphs
from opwright.link.attachment import AnyProfile, AttachPlan, Work, plan_libraries, takes_inlining
from opwright.link.check import check_model, undefined_nodes, without_weights
from opwright.link.digests import record_of
from opwright.link.distinct_calls import with_distinct_calls
from opwright.link.instantiate import damaged, pad, write_defaults
from opwright.link.library_forms import Libraries, given_libraries
from opwright.link.metadata import (
    ATTACHED,
    BODIES,
    CALL,
    IMPORTED,
    INSTEAD,
    OUTPUTS,
    POLYFILLED,
    REPLACED,
    attributes_digest,
)
from opwright.link.missing_types import complete_bodies, complete_outputs
from opwright.link.model_records import gather_records
from opwright.link.node_notes import note_changes
from opwright.link.node_resolution import Served
from opwright.link.plan import Plan
from opwright.link.propagate import imports_of
from opwright.link.typed_casts import restore_casts
from opwright.link.value_sources import Sources
from opwright.opsets.domains import normal_domain
from opwright.variants import Profile


@dataclass(frozen=True, slots=True)
class Attached:
    """The new model, what was done, and warnings and notes.

    `served` holds each served function version and the number of its nodes, in the order of the model; `functions`
    the ids of those added, callees first.
    """

    model: ModelProto
    served: tuple[tuple[str, int], ...]
    replaced: int
    functions: tuple[FunctionId, ...]
    diagnostics: tuple[Diagnostic, ...]


@overload
def attach(
    model: ModelPath,
    libraries: Libraries,
    *,
    replace: bool = False,
    inline: bool = False,
    profile: AnyProfile = Profile.PORTABLE,
    late_types: bool = False,
) -> ModelProto: ...


@overload
def attach(
    model: SameForm,
    libraries: Libraries,
    *,
    replace: bool = False,
    inline: bool = False,
    profile: AnyProfile = Profile.PORTABLE,
    late_types: bool = False,
) -> SameForm: ...


def attach(
    model: AnyModel,
    libraries: Libraries,
    *,
    replace: bool = False,
    inline: bool = False,
    profile: AnyProfile = Profile.PORTABLE,
    late_types: bool = False,
) -> Any:
    """The model with the functions that its nodes of the libraries' domains need.

    `model` is a ModelProto, the bytes of one, an onnx_ir.Model or a torch.onnx.ONNXProgram, and so is the result; of
    a path the result is a ModelProto that has its weights, those in other files too. A library
    is a Bundle, the path of a `.onnxlib` file, or an installed package or its name.

    With `replace`, operators of the standard that a library has under a mirror domain are served too; with
    `inline`, the result holds no functions, but their nodes. The result passes onnx.checker, and loads on
    onnxruntime where that is installed and supports the model's opset and IR. Everything else of the model is as it
    was; the argument is not changed. `profile`: variants are told apart by their names, or on request by overloads,
    for onnxruntime 1.27 and later. `late_types`: bodies follow the element types of their inputs, for a model that is
    converted to others afterwards. Raises DiagnosticError: OW530, OW553 to OW575 when a node cannot be served, OW550,
    OW551, OW578 and OW579 when `model` is none.
    """
    given = given_model(model, leave_weights=True)
    done = attach_libraries(
        given.proto,
        given_libraries(libraries),
        replace=replace,
        inline=inline,
        profile=Profile(profile),
        late_types=late_types,
        file=given.file,
    )
    return given.give_back(done.model)


def attach_libraries(
    model: ModelProto,
    libraries: Sequence[Bundle],
    *,
    replace: bool = False,
    inline: bool = False,
    profile: Profile = Profile.PORTABLE,
    late_types: bool = False,
    file: str = "model",
) -> Attached:
    """`attach` with an account of what was done; `file` names the model in messages."""
    plan = plan_libraries(
        model, libraries, replace=replace, inline=inline, profile=profile, late_types=late_types, file=file
    )
    return execute(plan, file)


def execute(plan: AttachPlan, file: str) -> Attached:
    """Does what a plan says, once. Raises DiagnosticError with what stands against it, or against the result."""
    work = plan.work
    if work is None or not plan.possible:
        raise DiagnosticError(item for item in plan.diagnostics if item.severity is Severity.ERROR)
    if not plan.nodes and not (plan.inline and takes_inlining(work.model)):
        found = (*plan.diagnostics, *undefined_nodes(work.model, file))
        work.model.CopyFrom(work.before)
        restore_casts(work.model)  # a node may call a body with another type than its casts name
        return Attached(work.model, (), 0, (), found)
    complete_bodies(work.model, lambda: without_weights(work.model), remember=not plan.inline)
    apply_plan(work.model, work.served, work.additions)
    return finish(plan, work, file)


def finish(plan: AttachPlan, work: Work, file: str) -> Attached:
    """What is left to do once the nodes call their functions. Raises DiagnosticError with what stands against it."""
    before, result, additions = work.before, work.model, work.additions
    loaded = None
    if plan.inline:
        refuse_expansion(result, file)
        part = with_distinct_calls(without_weights(result))
        if part is not result:
            inline_plan(part, before, additions)
        inline_plan(result, before, additions)
        loaded = None if part is result else part
    complete_outputs(result, without_weights(result), remember=not plan.inline)
    gather_records(result)
    notes = check_model(result, before, file, loaded=loaded)
    diagnostics = list(plan.diagnostics)
    if not plan.inline and any(function.overload for function in additions.functions):
        diagnostics.append(_needs_overloads(file))
    diagnostics += [*undefined_nodes(result, file), *notes]
    counts = Counter(node.function.identity for node in plan.nodes)
    return Attached(
        result,
        tuple(counts.items()),
        sum(node.replaces for node in plan.nodes),
        () if plan.inline else tuple(function_id(function) for function in additions.functions),
        tuple(diagnostics),
    )


def apply_plan(model: ModelProto, nodes: Sequence[Served], plan: Plan) -> None:
    """Adds the functions of a plan to the model, in place; the nodes for which it was made call them then."""
    call_functions(model, nodes, plan, Sources(model))
    add_functions(model, plan)


def call_functions(model: ModelProto, nodes: Sequence[Served], plan: Plan, sources: Sources) -> None:
    """Makes the nodes for which a plan was made calls of its functions, which `add_functions` adds. (It puts copies in
    the place of the functions that hold some of the nodes.) `sources` are those of the model that detach is to give."""
    versions = {**imports_of(model), **plan.imports}
    for served, identity in zip(nodes, plan.ids, strict=True):
        if served.function is not None:
            _import_into(served.function, identity[0], versions[identity[0]])
            imports = _noted_imports(served.function)
        else:
            imports = plan.imports
        _call_function(served, identity, sources, import_added=identity[0] in imports)


def add_functions(model: ModelProto, plan: Plan) -> None:
    """Adds the functions of a plan, and what the model has to import for them."""
    _add_functions(model, plan)
    _import(model, plan)
    model.ir_version = plan.ir_version
    declare_plainly(model)


def declare_plainly(model: ModelProto) -> None:
    """Lists attributes of linked functions without the defaults, which every call has written out, where the model's IR
    has no place for these."""
    if model.ir_version < DEFAULTS_IR:
        for function in model.functions:
            if record_of(function) is not None:
                function.attribute.extend(attribute.name for attribute in function.attribute_proto)
                del function.attribute_proto[:]


def _add_functions(model: ModelProto, plan: Plan) -> None:
    if not plan.functions:
        return
    memo = json.dumps(
        {"imports": sorted(plan.imports), "ir_version": model.ir_version}, sort_keys=True, separators=(",", ":")
    )
    functions = [*model.functions]
    for function in plan.functions:
        function.metadata_props.add(key=ATTACHED, value=memo)
        functions.append(function)
    ordered = callees_first({function_id(function): function for function in functions})
    del model.functions[:]
    model.functions.extend(ordered)
    keep_apart(model.functions, {function_id(function) for function in functions[: -len(plan.functions)]})


def _import_into(function: FunctionProto, domain: str, version: int) -> None:
    """A function of the model imports what its nodes call now; what is added is written down for detach."""
    if any(normal_domain(item.domain) == domain for item in function.opset_import):
        return
    function.opset_import.append(helper.make_opsetid(domain, version))
    for item in function.metadata_props:
        if item.key == IMPORTED:
            item.value = f"{item.value} {domain}"
            return
    function.metadata_props.add(key=IMPORTED, value=domain)


def _noted_imports(function: FunctionProto) -> Collection[str]:
    """The domains whose import was added to a function of the model."""
    return [domain for item in function.metadata_props if item.key == IMPORTED for domain in item.value.split()]


def _import(model: ModelProto, plan: Plan) -> None:
    for domain, version in sorted(plan.imports.items()):
        model.opset_import.append(helper.make_opsetid(domain, version))


def _call_function(served: Served, identity: FunctionId, sources: Sources, *, import_added: bool) -> None:
    """Makes a node a complete call of its function, and writes down on the node what was changed: nothing, too, where
    its domain's import was added, which otherwise is one that the node needs when it is taken away."""
    node, (entry, body) = served.node, (served.instance.entry, served.instance.body)
    changes: dict[str, object] = {}
    for field, value in zip(("domain", "op_type", "overload"), identity, strict=True):
        if getattr(node, field) != value:
            changes[field] = getattr(node, field) if node.HasField(field) else None
            setattr(node, field, value)
    given = list(node.input)
    positions = {formal.name: index for index, formal in enumerate(inputs_of_call(entry, len(given)))}
    if not positions.keys() >= {*body.inputs}:
        raise DiagnosticError([damaged(served.instance, "its inputs are not those of the call")])
    kept = [positions[name] for name in body.inputs]
    del node.input[:]
    node.input.extend(given[position] if position < len(given) else "" for position in kept)
    if list(node.input) != given:
        # A number is a position among the new inputs (names may change later), a text an input that is no more.
        changes["inputs"] = [kept.index(index) if index in kept and name else name for index, name in enumerate(given)]
    outputs = outputs_of(entry, body)
    if len(node.output) < len(outputs):
        changes["outputs"] = len(node.output)
        pad(node.output, len(outputs))
    graphs = _take_graphs(node)
    if graphs:
        changes["dropped"] = graphs
    written = write_defaults(node, served.instance)
    if written:
        changes["attributes"] = written
        changes["digest"] = attributes_digest(node, written)
    if changes or import_added:
        note_changes(node, changes, sources)


def _take_graphs(node: NodeProto) -> list[list[object]]:
    """Removes the graphs that a body has taken up; gives the place and the bytes of each attribute, for detach."""
    found = [(index, item) for index, item in enumerate(node.attribute) if item.type == AttributeProto.GRAPH]
    taken: list[list[object]] = [[index, b64encode(item.SerializeToString()).decode()] for index, item in found]
    for index, _ in reversed(found):
        del node.attribute[index]
    return taken


def inline_plan(model: ModelProto, before: ModelProto, plan: Plan) -> None:
    """Inlines all functions; imports and IR version are as before, but for domains whose operators came in. What was
    written down for `detach` goes: it has nothing to take out of such a model.

    Where the IR has metadata of nodes, these say which function of which library they are from.
    """
    inline_model(model, origin=_origin if before.ir_version >= METADATA_IR else None)
    used = {normal_domain(node.domain) for graph in all_graphs(model.graph) for node in graph.node}
    del model.opset_import[:]
    model.opset_import.extend(before.opset_import)
    present = imports_of(before)
    for domain, version in sorted(plan.imports.items()):
        if domain in used and domain not in present:
            model.opset_import.append(helper.make_opsetid(domain, version))
    model.ir_version = before.ir_version
    _forget_changes(model)


def _forget_changes(model: ModelProto) -> None:
    for node in (node for graph in all_graphs(model.graph) for node in graph.node):
        _keep_entries(node.metadata_props, lambda key: key not in (CALL, INSTEAD, REPLACED))
    _keep_entries(model.metadata_props, lambda key: key != POLYFILLED and not key.startswith((OUTPUTS, BODIES)))


def _keep_entries(entries: MutableSequence[Any], is_kept: Callable[[str], bool]) -> None:
    for index in reversed(range(len(entries))):
        if not is_kept(entries[index].key):
            del entries[index]


def _origin(function: FunctionProto) -> str:
    record = record_of(function)
    return "" if record is None else f"{record.origin}: {record.identity}"


def _needs_overloads(file: str) -> Diagnostic:
    return Diagnostic(
        "OW531",
        "variants of functions are told apart by overloads: the model needs onnxruntime 1.27 or later",
        Place(file),
        reason="older ones and onnx.reference run the last function of a name, whatever overload a node asks for",
        help="attach without `--profile overload`: the variant is then part of the name",
        severity=Severity.NOTE,
    )
