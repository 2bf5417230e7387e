"""From anonymous canonical bodies to FunctionProtos with names.

A stored body has inputs `i0`.., outputs `o0`.., attributes `a0`.., and calls other bodies as nodes of the domain
`body1` whose operator is the callee's digest. Here it gets the identity, names, defaults and documentation of a
function version, for one model: one default opset, one import of each domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import replace
from functools import lru_cache

from google.protobuf.message import DecodeError
from onnx import AttributeProto, FunctionProto, NodeProto, helper

from opwright.bundle.call_interface import outputs_of
from opwright.bundle.format import AttributeEntry, BodyEntry, CallEntry, DomainEntry, FunctionEntry, Index
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.graphs.left_out import leave_out_in
from opwright.graphs.structure import check_structure
from opwright.graphs.walk import all_nodes, rename_references, rename_values
from opwright.link.catalogue import Catalogue, catalogue_of
from opwright.link.conflicts import Conflict, ConflictError, Requirement, make_conflict
from opwright.link.flatten import flatten
from opwright.link.metadata import ATTRIBUTES, BODY, IDENTITY, LATE, LIBRARY, RELEASE, TEMPLATE, VARIANT
from opwright.link.naming import Content, Instance, Naming, template_at
from opwright.link.schema_types import schema_at
from opwright.opsets.domains import normal_domain
from opwright.protos.canonical import canonicalise
from opwright.protos.canonical_tensors import RefusedError
from opwright.variants import Profile, overload_of

CALL_DOMAIN = "body1"


def instantiate(
    functions: Mapping[str, FunctionEntry] | Index,
    bodies: Mapping[str, bytes],
    entry: FunctionEntry,
    body: BodyEntry,
    *,
    opset: int,
    domain: str,
    version: int | None = None,
    profile: Profile = Profile.PORTABLE,
) -> list[FunctionProto]:
    """One variant of a function version as FunctionProtos for a model at default opset `opset`.

    Callees come first, `body` itself last; long chains of calls are flattened. `domain` is the domain to emit `entry`
    (and its siblings) in: its own or its mirror. The model is taken to import that domain at `version`, by default
    `entry.since_version`, other domains at their newest version; `function.opset_import` says so. Raises
    DiagnosticError when a callee is missing or a body is damaged.
    """
    catalogue = catalogue_of(functions, bodies)
    domains = dict(catalogue.domains)
    imported = entry.since_version if version is None else version
    domains[entry.domain] = DomainEntry(entry.domain, imported, domain)
    catalogue = replace(catalogue, domains=domains)
    instances = closure(catalogue, [Instance(entry, body)], opset)
    naming = Naming(catalogue, {domain: imported}, opset, profile, called(catalogue, instances, opset))
    return flatten([name_body(naming, instance) for instance in instances], {naming.id_of(instances[-1])})


def closure(catalogue: Catalogue, roots: Iterable[Instance], opset: int) -> list[Instance]:
    """The roots and everything they call, callees first, each content once; order depends on the roots alone."""
    done: dict[Content, Instance] = {}
    open_keys: set[Content] = set()
    for root in roots:
        stack: list[tuple[Instance, Iterator[CallEntry]]] = []
        instance: Instance | None = root
        while instance is not None or stack:
            if instance is not None:
                if instance.content in open_keys:
                    raise DiagnosticError([damaged(instance, "it calls itself")])
                if instance.content not in done:
                    open_keys.add(instance.content)
                    stack.append((instance, iter(instance.body.calls)))
                instance = None
                continue
            top, calls = stack[-1]
            call = next(calls, None)
            if call is not None:
                instance = find_callee(catalogue, top, call, opset)
                continue
            stack.pop()
            done[top.content] = top
            open_keys.discard(top.content)
    return list(done.values())


def called(catalogue: Catalogue, instances: Iterable[Instance], opset: int) -> set[Content]:
    """The bodies that others among the instances call."""
    return {
        find_callee(catalogue, instance, call, opset).content for instance in instances for call in instance.body.calls
    }


def find_callee(catalogue: Catalogue, caller: Instance, call: CallEntry, opset: int) -> Instance:
    """The body that a call means. Raises DiagnosticError (OW564) when no library at hand has it."""
    identity = f"{call.domain}::{call.name}@{call.since_version}"
    entry = catalogue.called(identity)
    if entry is None:
        raise DiagnosticError([_missing_callee(catalogue, caller, identity, call)])
    fitting = [body for body in entry.bodies if body.body == call.body]
    # The same content may serve several variants and opsets; which entry is taken shows only in its metadata.
    fitting.sort(key=lambda body: (body.variant != call.variant, not body.first_opset <= opset <= body.last_opset))
    if not fitting:
        raise DiagnosticError([_missing_callee(catalogue, caller, identity, call)])
    return Instance(entry, fitting[0])


def name_body(naming: Naming, instance: Instance) -> FunctionProto:
    """The FunctionProto of one instance; its callees are to be emitted with the same `naming`."""
    entry, body = instance.entry, instance.body
    function = parse_body(naming.catalogue, instance)
    interface = {attribute.name: attribute for attribute in entry.attributes}
    attributes = {f"a{index}": name for index, name in enumerate(body.attributes)}
    _check_shape(function, instance)
    domains = _resolve_calls(naming, instance, function)
    _rename_values(function, body.inputs, _output_names(body.inputs, outputs_of(entry, body)))
    rename_references(function.node, attributes)
    leave_out_in(function.node)  # stored bodies have all defaults written
    function.domain, function.name, function.overload = naming.id_of(instance)
    function.doc_string = entry.doc or entry.summary
    _declare_attributes(function, [interface[name] for name in body.attributes])
    _set_imports(naming, instance, function, domains)
    _stamp(function, naming, instance)
    return function


def parse_body(catalogue: Catalogue, instance: Instance) -> FunctionProto:
    """The anonymous body. Raises DiagnosticError (OW575) when its bytes are none."""
    data = catalogue.bodies.get(instance.body.body)
    if data is None:
        raise DiagnosticError([damaged(instance, f"{instance.body.body} is not among the library's bodies")])
    try:
        function = FunctionProto.FromString(data)
    except DecodeError:
        raise DiagnosticError([damaged(instance, "its bytes are not a FunctionProto")]) from None
    reason = "" if isinstance(catalogue.bodies, OwnBodies) else _why_another(instance.body.body, data)
    if reason:
        raise DiagnosticError([damaged(instance, reason)])
    return function


class OwnBodies(Mapping[str, bytes]):
    """Bodies that the caller has digested itself, or has from where nobody else writes: that each is the one of its
    digest is not checked again."""

    def __init__(self, bodies: Mapping[str, bytes]) -> None:
        self._bodies = bodies

    def __getitem__(self, digest: str) -> bytes:
        return self._bodies[digest]

    def __iter__(self) -> Iterator[str]:
        return iter(self._bodies)

    def __len__(self) -> int:
        return len(self._bodies)


@lru_cache(maxsize=4096)
def _why_another(digest: str, data: bytes) -> str:
    """Why bytes are not the body of a digest; empty where they are. Members of a bundle are named by digests of bodies,
    and listed by digests of bytes: both may be right, and the body another one."""
    try:
        check_structure(FunctionProto.FromString(data), "the body")
        found = canonicalise(FunctionProto.FromString(data), callees={}).digest
    except RefusedError as refused:
        return f"it has no canonical form: {refused}"
    except DiagnosticError as error:
        return error.diagnostics[0].message
    return "" if found == digest else f"its nodes have the digest {found}, and it is named {digest}"


def _check_shape(function: FunctionProto, instance: Instance) -> None:
    """What naming relies on; a bundle from a stranger may hold anything under a right digest."""
    body, entry = instance.body, instance.entry
    inputs = [f"i{index}" for index in range(len(body.inputs))]
    outputs = [f"o{index}" for index in range(len(outputs_of(entry, body)))]
    if list(function.input) != inputs or list(function.output) != outputs:
        raise DiagnosticError([damaged(instance, "its inputs or outputs are not those of the interface")])
    known = {attribute.name for attribute in entry.attributes}
    if len(function.attribute) != len(body.attributes) or not known.issuperset(body.attributes):
        raise DiagnosticError([damaged(instance, "its attributes are not those of the interface")])


def _resolve_calls(naming: Naming, caller: Instance, function: FunctionProto) -> dict[str, int]:
    """Turns calls by digest into calls by name; gives the versions of the domains that they belong to."""
    calls: dict[str, CallEntry] = {}
    for call in caller.body.calls:
        calls.setdefault(call.body.partition(":")[2], call)
    versions: dict[str, int] = {}
    for node in all_nodes(function.node):
        if node.domain != CALL_DOMAIN:
            continue
        if node.op_type not in calls:
            raise DiagnosticError([damaged(caller, f"it calls {node.op_type}, which the index does not name")])
        callee = find_callee(naming.catalogue, caller, calls[node.op_type], naming.opset)
        node.domain, node.op_type, node.overload = naming.id_of(callee)
        write_attributes(node, callee)
        pad(node.input, len(callee.body.inputs))
        pad(node.output, len(outputs_of(callee.entry, callee.body)))
        versions[node.domain] = naming.import_of(callee.entry.domain)
    return versions


def _set_imports(naming: Naming, instance: Instance, function: FunctionProto, domains: Mapping[str, int]) -> None:
    """The default domain as asked, called domains as the model imports them, others as the body needs them."""
    lowest = {normal_domain(item.domain): item.version for item in function.opset_import}
    imports = {"": naming.opset}
    for node in all_nodes(function.node):
        domain = normal_domain(node.domain)
        if domain in domains:
            imports[domain] = domains[domain]
        elif domain:
            imports[domain] = naming.imports.get(domain, lowest.get(domain, 1))
            if not _same_meaning(node.op_type, domain, lowest.get(domain, 1), imports[domain]):
                raise ConflictError([_other_meaning(naming, instance, node, lowest.get(domain, 1))])
    del function.opset_import[:]
    function.opset_import.extend(helper.make_opsetid(name, version) for name, version in sorted(imports.items()))


def _same_meaning(name: str, domain: str, first: int, second: int) -> bool:
    schemas = [schema_at(name, domain, version) for version in (first, second)]
    return first == second or len({schema.since_version if schema else 0 for schema in schemas}) == 1


def write_attributes(node: NodeProto, callee: Instance) -> None:
    """Gives a call of a body its attributes' declared names and writes the defaults of those that it left out."""
    positions = {f"a{index}": name for index, name in enumerate(callee.body.attributes)}
    for attribute in node.attribute:
        attribute.name = positions.get(attribute.name, attribute.name)
    write_defaults(node, callee)


def write_defaults(node: NodeProto, callee: Instance) -> list[str]:
    """Writes the attributes that the body reads and the call leaves to their defaults; returns their names."""
    given = {attribute.name for attribute in node.attribute}
    written = []
    for attribute in callee.entry.attributes:
        if attribute.name in callee.body.attributes and attribute.name not in given and attribute.default is not None:
            node.attribute.append(default_attribute(attribute))
            written.append(attribute.name)
    return written


def default_attribute(attribute: AttributeEntry) -> AttributeProto:
    """An attribute's default as a proto; the declared type holds even for an empty list."""
    kind = AttributeProto.AttributeType.Value(attribute.type)
    value = list(attribute.default) if isinstance(attribute.default, tuple) else attribute.default
    return helper.make_attribute(attribute.name, value, attr_type=kind)


def pad(names: MutableSequence[str], arity: int) -> None:
    """Fills a node's inputs or outputs up with empty names: runtimes ask for the declared number."""
    names.extend([""] * (arity - len(names)))


def _output_names(inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    """The declared output names; one that is also an input's gets `_out`, for a value has one definition."""
    taken = {*inputs, *outputs}
    result: list[str] = []
    for name in outputs:
        if name in inputs or name in result:
            while name in taken:
                name += "_out"
            taken.add(name)
        result.append(name)
    return result


def _rename_values(function: FunctionProto, inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Declared names for the interface; every other value is numbered behind a prefix no declared name starts with."""
    declared = [*inputs, *outputs]
    prefix = "v"
    while any(name.startswith(prefix) for name in declared):
        prefix = f"_{prefix}"
    names = dict(zip([*function.input, *function.output], declared, strict=True))
    rename_values(function.node, lambda name: names.setdefault(name, f"{prefix}{len(names) - len(declared)}"))
    function.input[:] = inputs
    function.output[:] = outputs


def _declare_attributes(function: FunctionProto, attributes: Iterable[AttributeEntry]) -> None:
    del function.attribute[:]
    del function.attribute_proto[:]
    for attribute in attributes:
        if attribute.default is None:
            function.attribute.append(attribute.name)
        else:
            function.attribute_proto.append(default_attribute(attribute))


def _stamp(function: FunctionProto, naming: Naming, instance: Instance) -> None:
    del function.metadata_props[:]
    facts = {IDENTITY: instance.entry.identity, BODY: instance.body.body}
    variant = naming.variant_of(instance)
    if variant:
        facts[VARIANT] = overload_of(variant)
    listed = [*function.attribute, *(attribute.name for attribute in function.attribute_proto)]
    if listed != list(instance.body.attributes):
        facts[ATTRIBUTES] = " ".join(instance.body.attributes)
    template = template_at(instance.entry, naming.opset)
    if template is not None and all(body.body != instance.body.body for body in instance.entry.bodies):
        facts[TEMPLATE] = template.template
    made_of = naming.catalogue.made_of.get((instance.entry.identity, instance.body.body))
    if made_of is not None:
        facts[LATE] = " ".join(made_of)
    origin = naming.catalogue.origin_of(instance.entry.identity)
    if origin is not None:
        facts[LIBRARY] = origin.library
        facts[RELEASE] = origin.version
    for key, value in sorted(facts.items()):
        function.metadata_props.add(key=key, value=value)


def _missing_callee(catalogue: Catalogue, caller: Instance, identity: str, call: CallEntry) -> Diagnostic:
    known = catalogue.called(identity)
    if known is None:
        reason = f"no library given has {identity}"
        help_text = f"add the library that holds the domain {call.domain} with --library"
    else:
        reason = (
            f"{catalogue.origin_of(identity) or 'the library given'} has other bodies of {identity} than the one called"
        )
        help_text = f"give the release of that library which {caller.entry.identity} was built with"
    return Diagnostic(
        "OW564", f"{caller.entry.identity} calls {identity}, which is missing", reason=reason, help=help_text
    )


def _other_meaning(naming: Naming, instance: Instance, node: NodeProto, lowest: int) -> Conflict:
    version = naming.imports[node.domain]
    finding = Diagnostic(
        "OW556",
        f"the body of {instance.entry.identity} cannot be used with version {version} of {node.domain}",
        reason=f"{node.op_type} means something else there than when the library was built",
        help=f"import another version of {node.domain} in the model",
    )
    wanted = f"needs {instance.entry.identity}, whose body has {node.op_type} of version {lowest} of {node.domain}"
    given = f"imports version {version} of {node.domain}"
    return make_conflict(finding, Requirement(naming.needed_by(instance), wanted), Requirement("the model", given))


def damaged(instance: Instance, reason: str) -> Diagnostic:
    return Diagnostic(
        "OW575",
        f"the body of {instance.entry.identity} cannot be used",
        reason=reason,
        help="build or install the library again",
    )
