"""What has to be added to a model: the functions its served nodes need, each once, and the imports and IR version."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from onnx import FunctionProto, ModelProto, helper

from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.graphs.ids import FunctionId, call_id, function_id
from opwright.graphs.ids import called as called_by
from opwright.graphs.ir_versions import FUNCTIONS_IR, METADATA_IR
from opwright.graphs.walk import all_nodes
from opwright.link.catalogue import Catalogue
from opwright.link.conflicts import Conflict, ConflictError, Requirement, make_conflict
from opwright.link.digests import function_digests, record_of
from opwright.link.flatten import flatten
from opwright.link.instantiate import called, closure, find_callee, name_body
from opwright.link.missing_callees import missing_callee
from opwright.link.naming import Instance, Naming, bodies_at
from opwright.link.node_resolution import Served
from opwright.link.propagate import imports_of
from opwright.link.standard_functions import refuse_standard_functions
from opwright.opsets.domains import normal_domain
from opwright.variants import Profile, possible_bases


@dataclass(frozen=True, slots=True)
class Plan:
    """`functions` are to be added, callees first, as are `imports`; `ids` are what the served nodes shall call.

    `instances` is what stands under each id, and `calls` what each calls; `known` are those that the model has already.
    """

    functions: tuple[FunctionProto, ...]
    imports: Mapping[str, int]
    ir_version: int
    ids: tuple[FunctionId, ...]
    instances: Mapping[FunctionId, Instance]
    calls: Mapping[FunctionId, Sequence[FunctionId]]
    known: Collection[FunctionId]


def choose_opset(model: ModelProto, catalogue: Catalogue) -> int:
    """The model's default opset; of one that imports none, the newest that IR 10 or its own later one allows."""
    imported = imports_of(model).get("")
    if imported is not None:
        return imported
    ir_version = max(model.ir_version, METADATA_IR)
    allowed = (row[2] for row in helper.VERSION_TABLE if row[1] <= ir_version)
    return min(catalogue.opsets[1], max(allowed))


def make_plan(
    model: ModelProto, catalogue: Catalogue, nodes: Sequence[Served], *, opset: int, profile: Profile, file: str
) -> Plan:
    """Raises DiagnosticError when a callee is missing or a function would stand in the standard's own domain,
    ConflictError when the model has another function of an identity or two functions would have one name."""
    present = imports_of(model)
    imports = dict(present)
    imports.setdefault("", opset)
    for served in nodes:
        entry = served.instance.entry
        assumed = catalogue.version_assumed(catalogue.domains[entry.domain])
        default = imports[normal_domain(entry.domain)] if served.replaced else assumed
        imports.setdefault(catalogue.emitted(entry.domain), default)
    roots = [served.instance for served in nodes]
    instances = closure(catalogue, roots, opset)
    nested = called(catalogue, instances, opset)
    nested.update(served.instance.content for served in nodes if served.function is not None)
    users = _Users(catalogue, nodes, instances, opset)
    naming = Naming(catalogue, imports, opset, profile, nested, users.of)
    functions = [name_body(naming, instance) for instance in instances]
    refuse_standard_functions(functions, "the libraries have", file)
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
        ir_version=max(model.ir_version, _ir_version(added, None if "" in present else opset)),
        ids=ids,
        instances=wanted,
        calls={function_id(function): called_by(function) for function in functions},
        known=known,
    )


class _Users:
    """Who needs an instance: the first node, and by which functions."""

    def __init__(
        self, catalogue: Catalogue, nodes: Iterable[Served], instances: Iterable[Instance], opset: int
    ) -> None:
        self._catalogue = catalogue
        self._nodes = nodes
        self._instances = instances
        self._opset = opset

    def of(self, instance: Instance) -> str:
        chain = [instance]
        while not (found := self._node(chain[-1])):
            caller = self._caller(chain[-1])
            if caller is None or caller in chain:
                return instance.entry.identity
            chain.append(caller)
        through = [item.entry.identity for item in reversed(chain[1:])]
        return f"{found}, through {' and '.join(through)}," if through else found

    def _node(self, instance: Instance) -> str:
        places = (item.call.visit.place for item in self._nodes if item.instance.content == instance.content)
        return next(places, "")

    def _caller(self, callee: Instance) -> Instance | None:
        for instance in self._instances:
            called = (find_callee(self._catalogue, instance, call, self._opset) for call in instance.body.calls)
            if any(item.content == callee.content for item in called):
                return instance
        return None


def _ir_version(functions: Sequence[FunctionProto], imported: int | None) -> int:
    """What functions need that are added, and the opset if it is `imported` for them. Their defaults and records have
    another place where the IR has none for them (`declare_plainly`, `gather_records`)."""
    if not functions:
        return 0
    needed = METADATA_IR if any(function.overload for function in functions) else FUNCTIONS_IR
    rows = (row[1] for row in helper.VERSION_TABLE if row[2] == imported)
    return max(needed, min(rows, default=0))


def _needed(
    functions: Sequence[FunctionProto], roots: Iterable[FunctionId], known: Collection[FunctionId]
) -> list[FunctionProto]:
    """The functions that the roots reach without passing through one that the model has; order is kept."""
    by_id = {function_id(function): function for function in functions}
    pending = [*dict.fromkeys(identity for identity in roots if identity not in known)]
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
    """Functions of the model that are those of the libraries. Raises ConflictError (OW562) for the others.

    A function of the model counts when it stands where one of the libraries would: one that is wanted, or one that
    has the name which the model's import gives to a function of a library.
    """
    digests: dict[FunctionId, str] | None = None
    known: set[FunctionId] = set()
    conflicts: list[Conflict] = []
    for function in model.functions:
        identity = function_id(function)
        expected = _expected_bodies(naming, identity, wanted)
        if not expected:
            continue
        digests = function_digests(model.functions) if digests is None else digests
        record = record_of(function)
        digest = digests[identity]
        altered = record is not None and digest != record.expected
        if record is not None and not altered and not record.typed:
            digest = record.body  # for a flattened function, that of the body before
        if digest in {instance.body.body for instance in expected}:
            known.add(identity)
        else:
            instance = expected[0]
            if identity in wanted:
                user = Requirement(naming.needed_by(instance), f"needs {_described(naming, instance)}")
            else:
                version = naming.import_of(instance.entry.domain)
                says = f"says that {function.name} is {_described(naming, instance)}"
                user = Requirement(f"the import of version {version} of {identity[0]}", says)
            conflicts.append(_conflict(model, naming, function, digest, altered, instance, user, file))
    if conflicts:
        raise ConflictError(conflicts)
    return known


def _expected_bodies(naming: Naming, identity: FunctionId, wanted: Mapping[FunctionId, Instance]) -> list[Instance]:
    """The bodies that the libraries have for an id; empty where it is none of theirs."""
    if identity in wanted:
        return [wanted[identity]]
    domain, name, _ = identity
    for owner in naming.catalogue.domains.values():
        if owner.mirror == domain:
            named = (naming.catalogue.versions_of(owner.name, base) for base in possible_bases(name))
            for entry in chain.from_iterable(named):
                siblings = [Instance(entry, body) for body in bodies_at(entry, naming.opset)]
                found = [sibling for sibling in siblings if identity in naming.possible_ids(sibling)]
                if found:
                    return found
    return []


def _conflict(
    model: ModelProto,
    naming: Naming,
    function: FunctionProto,
    digest: str,
    altered: bool,
    instance: Instance,
    user: Requirement,
    file: str,
) -> Conflict:
    """`function`, of that digest, stands where `instance` should, which `user` needs. `altered`: it is not what was
    attached."""
    identity = instance.entry.identity
    record = record_of(function)
    theirs = record.origin if record is not None else "the model itself"
    ours = str(naming.catalogue.origins.get(identity, "the library"))
    if theirs == ours:
        theirs = f"{theirs}, altered since"
    text = f"the model has another body of {identity}: one is from {theirs}, the other from {ours}"
    reason = "a model holds one definition of a function, and changing it would change what the model computes"
    help_text = "detach the older one first (`opwright detach`), or rename the model's own function"
    missing = missing_callee(model, function) if altered else None
    if altered:  # `detach` would refuse it
        help_text = "attach the library to the original model, or give the altered function another name"
    if record is not None and missing is not None:
        theirs = record.origin
        text = f"the model's {identity} calls {missing}, which the model no longer has"
        reason = f"it was attached from {theirs}, and another tool has removed what it calls"
        help_text = "attach the library to the original model"
    finding = Diagnostic("OW562", text, Place(file), reason, help_text)
    calls = sum(call_id(node) == function_id(function) for node in all_nodes(model.graph.node))
    holder = f"the model's function {function.domain}::{function.name} (calls in its graph: {calls})"
    held = Requirement(holder, f"has {digest or 'nodes without a canonical form'}, of {theirs}")
    return make_conflict(finding, user, held)


def _described(naming: Naming, instance: Instance) -> str:
    origin = naming.catalogue.origin_of(instance.entry.identity) or "the library"
    return f"{instance.entry.identity} of {origin}, {instance.body.body}"
