"""The plan of an attachment: which node gets which body, and why; what that adds to the model; what stands against it.

It is made once. `attach` does what it says, and `opwright attach --dry-run` prints it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from typing import Literal

from onnx import FunctionProto, ModelProto

from opwright.bundle.format import Bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity, has_errors
from opwright.graphs.ids import FunctionId, function_id
from opwright.graphs.model_forms import AnyModel, given_model
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_graphs
from opwright.link.catalogue import Catalogue, layered, merge_libraries
from opwright.link.choose import bind_types, reasons
from opwright.link.conflicts import Conflict, ConflictError
from opwright.link.digests import record_of
from opwright.link.kernels import runtime_with_kernel
from opwright.link.late_types import LateTypes
from opwright.link.library_forms import Libraries, given_libraries
from opwright.link.metadata import is_polyfilled
from opwright.link.model_records import functions_with_records, spread_records
from opwright.link.naming import Instance
from opwright.link.node_resolution import Replaceable, Resolution, Served, Unserved, resolve_model
from opwright.link.plan import Plan, choose_opset, make_plan
from opwright.link.propagate import imports_of
from opwright.link.training_graphs import refuse_training_graphs
from opwright.link.typed_casts import restore_casts
from opwright.opsets.domains import normal_domain
from opwright.variants import Profile

AnyProfile = Profile | Literal["portable", "overload"]


@dataclass(frozen=True, slots=True)
class PlannedFunction:
    """A function that the nodes need. `name` is what it is called in the model: domain, name, overload.

    `variant` is empty where all variants are one body; `body` is the digest, and the opsets those that it is for, both
    ends included. `needed_by` are the nodes (their places) and functions that call it. `is_new`: the model does not
    have it yet. `hidden_by` is a runtime that runs a kernel of its own under that name, and not the body.
    """

    name: FunctionId
    identity: str
    variant: str
    body: str
    first_opset: int
    last_opset: int
    library: str
    release: str
    is_new: bool
    needed_by: tuple[str, ...]
    hidden_by: str


@dataclass(frozen=True, slots=True)
class PlannedNode:
    """A node that a function is to serve.

    `place` says where it stands, `operator` what it is (`domain::Name`); `replaces`: it is one of the standard's.
    `why` says why this version, this variant and this body.
    """

    place: str
    operator: str
    replaces: bool
    since_version: int
    function: PlannedFunction
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Work:
    """What a plan is made of: `served` and `unserved` are nodes of `model`, a copy. It is used up when it is done."""

    before: ModelProto
    model: ModelProto
    served: tuple[Served, ...]
    unserved: tuple[Unserved, ...]
    additions: Plan


@dataclass(frozen=True, slots=True)
class AttachPlan:
    """What `attach` would do to a model, or why it cannot.

    `nodes` are those that are served, in the order of the model, `functions` what they need, callees first. `opset` is
    the default opset for which bodies are chosen; `imports` are added, and the IR version becomes `ir_version`.
    `conflicts` have each the two sides that cannot both be met; their findings are among `diagnostics`. `inline`: nodes
    will stand in the place of all functions.
    """

    inline: bool
    opset: int
    ir_version: int
    imports: Mapping[str, int]
    nodes: tuple[PlannedNode, ...]
    functions: tuple[PlannedFunction, ...]
    conflicts: tuple[Conflict, ...]
    diagnostics: tuple[Diagnostic, ...]
    work: Work | None = field(repr=False, compare=False)

    @property
    def possible(self) -> bool:
        """Whether nothing stands against it."""
        return not has_errors(self.diagnostics)

    @property
    def added(self) -> tuple[PlannedFunction, ...]:
        """The functions that the model does not have yet."""
        return tuple(function for function in self.functions if function.is_new)


def plan_attach(
    model: AnyModel,
    libraries: Libraries,
    *,
    replace: bool = False,
    inline: bool = False,
    profile: AnyProfile = Profile.PORTABLE,
    late_types: bool = False,
) -> AttachPlan:
    """What `attach` would do with the same arguments: for each node the function, its version and body, and why.

    Raises DiagnosticError when `model` is none, or not whole (OW550, OW551, OW576, OW578, OW579, OW595 to OW598). What
    else stands against it is in the plan.
    """
    given = given_model(model, leave_weights=True)
    return plan_libraries(
        given.proto,
        given_libraries(libraries),
        replace=replace,
        inline=inline,
        profile=Profile(profile),
        late_types=late_types,
        file=given.file,
    )


def plan_libraries(
    model: ModelProto,
    libraries: Sequence[Bundle],
    *,
    replace: bool | Replaceable = False,
    inline: bool = False,
    profile: Profile = Profile.PORTABLE,
    assumed: Mapping[str, int] | None = None,
    late_types: bool = False,
    file: str = "model",
) -> AttachPlan:
    """`plan_attach` of a ModelProto; `file` names it in messages. `assumed` are versions of domains, by
    the names that they have in models, that are meant where nothing is imported, in the place of the newest."""
    check_structure(model, file)
    if model.training_info:
        _refuse_training_graphs(model, libraries, file)
    copy = ModelProto()
    copy.CopyFrom(model)
    spread_records(copy, file)
    restore_casts(copy)
    opset = imports_of(copy).get("", 0)
    resolution = Resolution((), ())
    try:
        catalogue = merge_libraries(libraries)
        if assumed:
            catalogue = replace_fields(catalogue, assumed=assumed)
        opset = choose_opset(copy, catalogue)
        late = LateTypes(catalogue, opset) if late_types else None
        if late is not None:
            catalogue = late.catalogue_with_them()
        resolution = resolve_model(copy, catalogue, opset=opset, replace=replace, file=file)
        catalogue = replace_fields(catalogue, bodies=layered([resolution.bodies, catalogue.bodies]))
        additions = make_plan(copy, catalogue, resolution.served, opset=opset, profile=profile, file=file)
    except DiagnosticError as error:
        conflicts = (*resolution.conflicts, *(error.conflicts if isinstance(error, ConflictError) else ()))
        found = (*resolution.problems, *error.diagnostics)
        return AttachPlan(inline, opset, copy.ir_version, {}, (), (), conflicts, found, None)
    functions = _functions(catalogue, resolution.served, additions, {**imports_of(copy), **additions.imports})
    pairs = zip(resolution.served, additions.ids, strict=True)
    diagnostics = [*resolution.problems, *resolution.left, *_deprecated(resolution.served, file)]
    if late is not None:
        diagnostics += _fixed(resolution.served, copy.functions, late, file)
    if not inline:
        diagnostics += _hidden(functions.values(), file)
    if not resolution.served and not diagnostics and not (inline and takes_inlining(copy)):
        diagnostics.append(_nothing_served(copy, catalogue, opset, replace, file))
    return AttachPlan(
        inline,
        opset,
        additions.ir_version,
        additions.imports,
        tuple(_planned_node(served, functions[identity]) for served, identity in pairs),
        tuple(functions.values()),
        resolution.conflicts,
        tuple(diagnostics),
        Work(model, copy, resolution.served, resolution.unserved, additions),
    )


def takes_inlining(model: ModelProto) -> bool:
    """Whether there are functions to inline, or what was written down for `detach` is to go."""
    return bool(model.functions) or is_polyfilled(model)


def _refuse_training_graphs(model: ModelProto, libraries: Iterable[Bundle], file: str) -> None:
    """Refuses those that call functions of the libraries, or of the model's own, whose nodes may call these."""
    served = {name for library in libraries for item in library.index.domains for name in (item.name, item.mirror)}
    linked = {function_id(item): record_of(item) is not None for item in functions_with_records(model, file)}
    refuse_training_graphs(
        model, file, lambda identity: not linked[identity] if identity in linked else identity[0] in served
    )


def _functions(
    catalogue: Catalogue, served: Sequence[Served], additions: Plan, imports: Mapping[str, int]
) -> dict[FunctionId, PlannedFunction]:
    """What the nodes need, by its name in the model, callees first; `imports` are those that the model will have."""
    users: dict[FunctionId, dict[str, None]] = {}
    for item, identity in zip(served, additions.ids, strict=True):
        users.setdefault(identity, {})[item.call.visit.place] = None
    for identity, callees in additions.calls.items():
        for callee in callees:
            users.setdefault(callee, {})[written(identity)] = None
    new = {function_id(function) for function in additions.functions}
    return {
        identity: _planned_function(
            catalogue,
            identity,
            instance,
            identity in new,
            tuple(users.get(identity, ())),
            runtime_with_kernel(identity, imports.get(normal_domain(identity[0]), 1)),
        )
        for identity, instance in additions.instances.items()
        if identity in new or (identity in additions.known and identity in users)
    }


def _planned_function(
    catalogue: Catalogue,
    identity: FunctionId,
    instance: Instance,
    is_new: bool,
    users: tuple[str, ...],
    hidden_by: str,
) -> PlannedFunction:
    entry, body = instance.entry, instance.body
    origin = catalogue.origin_of(entry.identity)
    library, release = (origin.library, origin.version) if origin is not None else ("", "")
    return PlannedFunction(
        identity,
        entry.identity,
        instance.variant_text,
        body.body,
        body.first_opset,
        body.last_opset,
        library,
        release,
        is_new,
        users,
        hidden_by,
    )


def _planned_node(served: Served, function: PlannedFunction) -> PlannedNode:
    call = served.call
    operator = f"{call.visit.node.domain or 'ai.onnx'}::{call.visit.node.op_type}"
    why = reasons(call, served.instance, served.replaced)
    return PlannedNode(call.visit.place, operator, served.replaced, served.instance.entry.since_version, function, why)


def written(identity: FunctionId) -> str:
    """A function as messages name it."""
    domain, name, overload = identity
    return f"{domain}::{name}" + (f" [{overload}]" if overload else "")


def _fixed(nodes: Iterable[Served], functions: Iterable[FunctionProto], late: LateTypes, file: str) -> list[Diagnostic]:
    """An error for each function whose body does not follow the element type of its inputs, and for each that the model
    has already, from the libraries."""
    found: dict[str, tuple[str, str]] = {}
    for served in nodes:
        reasons = (late.fixed(served.instance, bind_types(call)) for call in served.calls)
        reason = next(filter(None, reasons), "")
        if reason:
            help_text = "convert the model first, and attach the library to the result without --late-types"
            found.setdefault(served.instance.entry.identity, (reason, help_text))
    for record in filter(None, map(record_of, functions)):
        reason = late.fixed_before(record)
        if reason:
            help_text = "detach the model first (`opwright detach`), and attach the library to what that gives"
            found.setdefault(record.identity, (f"{reason}; the model has that body already", help_text))
    return [
        Diagnostic(
            "OW545", f"the body of {identity} does not follow the type of its inputs", Place(file), reason, help_text
        )
        for identity, (reason, help_text) in found.items()
    ]


def _hidden(functions: Iterable[PlannedFunction], file: str) -> list[Diagnostic]:
    """A warning for each function of whose name a runtime has a kernel: that is run, not the body."""
    return [
        Diagnostic(
            "OW540",
            f"{item.hidden_by} runs a kernel of its own for {written(item.name)}, not the body of {item.identity}",
            Place(file),
            reason="it takes its kernel for each name that it knows, below functions too, whatever the model brings",
            help="attach with --inline, or take a library that names the function otherwise",
            severity=Severity.WARNING,
        )
        for item in functions
        if item.hidden_by
    ]


def _deprecated(nodes: Sequence[Served], file: str) -> list[Diagnostic]:
    """A warning for each version that is served and that its library advises against."""
    identities = dict.fromkeys(served.instance.entry.identity for served in nodes if served.instance.entry.deprecated)
    return [
        Diagnostic(
            "OW622",
            f"{identity} is deprecated",
            Place(file),
            reason="its library marks it so, and a later major release may leave it out",
            help="its documentation says what takes its place",
            severity=Severity.WARNING,
        )
        for identity in identities
    ]


def _nothing_served(
    model: ModelProto, catalogue: Catalogue, opset: int, replace: bool | Replaceable, file: str
) -> Diagnostic:
    """Says what would be served otherwise, as far as it would: advice that leads to an error is none."""
    domains = sorted({domain.mirror for domain in catalogue.domains.values()})
    reason = f"it has no node of the domains {', '.join(domains)} that lacks its function"
    own = {function_id(function)[:2] for function in model.functions}
    called = {
        node.op_type
        for graph in all_graphs(model.graph)
        for node in graph.node
        if node.domain in domains and (normal_domain(node.domain), node.op_type) in own
    }
    help_text = ""
    if called:
        help_text = (
            f"the model has functions for {', '.join(sorted(called))}; `opwright detach` takes attached ones out"
        )
    elif not replace:
        standard = _replaceable(model, catalogue, opset, file)
        if standard:
            help_text = f"with --replace, the operators {', '.join(standard)} of the standard are served too"
    return Diagnostic("OW552", "nothing to attach", Place(file), reason, help_text, severity=Severity.WARNING)


def _replaceable(model: ModelProto, catalogue: Catalogue, opset: int, file: str) -> list[str]:
    """The operators of the standard that `--replace` would serve in this model."""
    resolution = resolve_model(model, catalogue, opset=opset, replace=True, file=file)
    return [] if resolution.problems else sorted({item.instance.entry.name for item in resolution.served})
