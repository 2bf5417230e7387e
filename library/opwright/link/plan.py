"""What has to be added to a model: the functions its served nodes need, each once, and the imports and IR version."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from onnx import FunctionProto, ModelProto, helper

from opwright.diagnostics.model import Diagnostic, DiagnosticError, Place
from opwright.link.catalogue import Catalogue
from opwright.link.digests import FLATTENED, Record, function_digests, record_of
from opwright.link.inline import call_id, function_id, inline_into
from opwright.link.instantiate import called, closure, name_body
from opwright.link.naming import FunctionId, Instance, Naming, Profile, bodies_at
from opwright.link.propagate import imports_of
from opwright.link.resolve import Resolution
from opwright.link.walk import all_nodes, normal_domain

# Each linked function carries its identity in metadata_props, which came with IR 10 (as did overloads; functions
# themselves came with 8 and the defaults of attributes with 9).
FUNCTION_IR = 10

DEEPEST_CALL = 50  # onnx.checker stops at 100; the model's own functions may call ours


@dataclass(frozen=True, slots=True)
class Plan:
    """`functions` are to be added, callees first, as are `imports`; `ids` are what the served nodes shall call."""

    functions: tuple[FunctionProto, ...]
    imports: Mapping[str, int]
    ir_version: int
    ids: tuple[FunctionId, ...]


def choose_opset(model: ModelProto, catalogue: Catalogue) -> int:
    """The model's default opset; of a model that imports none, the newest that an IR version for functions allows."""
    imported = imports_of(model).get("")
    if imported is not None:
        return imported
    ir_version = max(model.ir_version, FUNCTION_IR)
    allowed = (row[2] for row in helper.VERSION_TABLE if row[1] <= ir_version)
    return min(catalogue.opsets[1], max(allowed))


def make_plan(
    model: ModelProto, catalogue: Catalogue, resolution: Resolution, *, opset: int, profile: Profile, file: str
) -> Plan:
    """Raises DiagnosticError when a callee is missing or the model has another function of an identity."""
    present = imports_of(model)
    imports = dict(present)
    imports.setdefault("", opset)
    for served in resolution.served:
        entry = served.instance.entry
        default = imports[normal_domain(entry.domain)] if served.replaced else catalogue.domains[entry.domain].version
        imports.setdefault(catalogue.emitted(entry.domain), default)
    roots = [served.instance for served in resolution.served]
    instances = closure(catalogue, roots, opset)
    nested = called(catalogue, instances, opset)
    nested.update(served.instance.content for served in resolution.served if served.function is not None)
    naming = Naming(catalogue, imports, opset, profile, nested)
    functions = [name_body(naming, instance) for instance in instances]
    for function in functions:
        for item in function.opset_import:
            imports.setdefault(item.domain, item.version)
    ids = tuple(naming.id_of(instance) for instance in roots)
    wanted = {function_id(function): instance for function, instance in zip(functions, instances, strict=True)}
    known = _functions_already_there(model, naming, wanted, file)
    added = _needed(functions, ids, known)
    return Plan(
        functions=tuple(flatten(added, set(ids))),
        imports={domain: version for domain, version in imports.items() if present.get(domain) != version},
        ir_version=max(model.ir_version, FUNCTION_IR) if added else model.ir_version,
        ids=ids,
    )


def _needed(
    functions: Sequence[FunctionProto], roots: Iterable[FunctionId], known: Collection[FunctionId]
) -> list[FunctionProto]:
    """The functions that the roots reach without passing through one that the model has; order is kept."""
    by_id = {function_id(function): function for function in functions}
    pending = [identity for identity in roots if identity not in known]
    needed = set(pending)
    while pending:
        for node in all_nodes(by_id[pending.pop()].node):
            callee = call_id(node)
            if callee in by_id and callee not in known and callee not in needed:
                needed.add(callee)
                pending.append(callee)
    return [function for identity, function in by_id.items() if identity in needed]


def _functions_already_there(
    model: ModelProto, naming: Naming, wanted: Mapping[FunctionId, Instance], file: str
) -> set[FunctionId]:
    """Functions of the model that are those of the libraries. Raises DiagnosticError (OW562) for the others.

    A function of the model counts when it stands where one of the libraries would: one that is wanted, or one that
    has the name which the model's import gives to a function of a library.
    """
    digests: dict[FunctionId, str] | None = None
    known: set[FunctionId] = set()
    problems: list[Diagnostic] = []
    for function in model.functions:
        identity = function_id(function)
        expected = _expected_bodies(naming, identity, wanted)
        if not expected:
            continue
        digests = function_digests(model.functions) if digests is None else digests
        record = record_of(function)
        digest = digests[identity]
        if record is not None and digest == record.expected:
            digest = record.body  # for a flattened function, that of the body before
        if digest in {instance.body.body for instance in expected}:
            known.add(identity)
        else:
            problems.append(_conflict(naming.catalogue, function, record, expected[0], file))
    if problems:
        raise DiagnosticError(problems)
    return known


def _expected_bodies(naming: Naming, identity: FunctionId, wanted: Mapping[FunctionId, Instance]) -> list[Instance]:
    """The bodies that the libraries have for an id; empty where it is none of theirs."""
    if identity in wanted:
        return [wanted[identity]]
    domain, name, _ = identity
    for owner in naming.catalogue.domains.values():
        if owner.mirror == domain:
            for entry in naming.catalogue.versions_of(owner.name, name):
                siblings = [Instance(entry, body) for body in bodies_at(entry, naming.opset)]
                found = [sibling for sibling in siblings if identity in naming.possible_ids(sibling)]
                if found:
                    return found
    return []


def _conflict(
    catalogue: Catalogue, function: FunctionProto, record: Record | None, instance: Instance, file: str
) -> Diagnostic:
    """`function` stands where `instance` should."""
    identity = instance.entry.identity
    theirs = record.origin if record is not None else "the model itself"
    ours = str(catalogue.origins.get(identity, "the library"))
    if theirs == ours:
        theirs = f"{theirs}, altered since"
    text = f"the model has another body of {identity}: one is from {theirs}, the other from {ours}"
    return Diagnostic(
        "OW562",
        text,
        Place(file),
        reason="a model holds one definition of a function, and changing it would change what the model computes",
        help="detach the older one first (`opwright detach`), or rename the model's own function",
    )


def flatten(functions: Sequence[FunctionProto], roots: Collection[FunctionId]) -> list[FunctionProto]:
    """Shortens chains of calls deeper than DEEPEST_CALL: functions of the levels between are inlined into callers.

    `functions` are callees first and stay so; those that are neither called any more nor among `roots` are dropped.
    """
    by_id = {function_id(function): function for function in functions}
    heights: dict[FunctionId, int] = {}
    for identity, function in by_id.items():
        called = (heights[callee] for node in all_nodes(function.node) if (callee := call_id(node)) in heights)
        heights[identity] = 1 + max(called, default=-1)
    deepest = 1 + max(heights.values(), default=0)
    if deepest <= DEEPEST_CALL:
        return list(functions)
    # Every step-th level stays a function. With levels kept at equal distances the copies multiply least.
    step = -(-deepest // (DEEPEST_CALL - 1))
    kept = {identity for identity, height in heights.items() if height % step == 0}
    versions = {item.domain: item.version for function in functions for item in function.opset_import}
    result: dict[FunctionId, FunctionProto] = {}
    for identity, function in by_id.items():
        if identity in kept or identity in roots:
            flat = FunctionProto()
            flat.CopyFrom(function)
            if any(call_id(node) in by_id and call_id(node) not in kept for node in all_nodes(flat.node)):
                inline_into(flat, lambda callee: None if callee in kept else by_id.get(callee))
                _set_imports(flat, versions)
                flat.metadata_props.add(key=FLATTENED)
            result[identity] = flat
    digests = function_digests(result.values())
    for identity, function in result.items():
        for item in function.metadata_props:
            if item.key == FLATTENED:
                item.value = digests[identity]
    return list(result.values())


def _set_imports(function: FunctionProto, versions: Mapping[str, int]) -> None:
    """Imports what the nodes need; all functions made for one model import the same version of a domain."""
    used = {"", *(normal_domain(node.domain) for node in all_nodes(function.node))}
    del function.opset_import[:]
    function.opset_import.extend(helper.make_opsetid(domain, versions.get(domain, 1)) for domain in sorted(used))
