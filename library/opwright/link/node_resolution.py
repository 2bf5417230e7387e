"""Which nodes of a model the libraries serve, and which body each of them gets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields

from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto

from opwright.bundle.format import DomainEntry, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place, Severity
from opwright.graphs.ids import function_id, uncalled_functions
from opwright.link.catalogue import Catalogue
from opwright.link.choose import Call, promised_shapes
from opwright.link.conflicts import Conflict, Requirement, make_conflict
from opwright.link.digests import record_of
from opwright.link.model_instances import Instances
from opwright.link.naming import Instance, version_at
from opwright.link.node_notes import newest_note
from opwright.link.output_types import OutputTypes, undeclared_outputs
from opwright.link.propagate import Fact, Propagation, Visit
from opwright.link.schema_types import schema_at
from opwright.opsets.domains import normal_domain
from opwright.variants import possible_bases


@dataclass(frozen=True, slots=True)
class Served:
    """A node of the model and the body that it gets.

    `replaced`: it is an operator of the standard; `function`: the function of the model that it stands in; `calls`:
    what was known of it each time that the body was chosen, several times where that function is called in several
    ways.
    """

    node: NodeProto
    instance: Instance
    replaced: bool
    function: FunctionProto | None
    calls: tuple[Call, ...]

    @property
    def call(self) -> Call:
        """The first one."""
        return self.calls[0]


@dataclass(frozen=True, slots=True)
class Unserved:
    """A node that a library should serve, or could, and why it does not."""

    node: NodeProto
    findings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """`left` holds a warning for each node of the standard that could have been replaced but for its facts, and for
    each in a function that nothing calls that stays for what is wrong with it; `problems` what is wrong with nodes that
    must be served, the findings of `conflicts` among it, and `unserved` the nodes of both; `bodies` are those of
    template instances that no library holds, by digest."""

    served: tuple[Served, ...]
    left: tuple[Diagnostic, ...]
    problems: tuple[Diagnostic, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    unserved: tuple[Unserved, ...] = ()
    bodies: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(slots=True)
class Findings:
    """What all visits of one node said."""

    node: NodeProto
    place: str
    replaced: bool
    function: FunctionProto | None
    choices: list[Instance] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)  # for which they were chosen
    problems: dict[Diagnostic, None] = field(default_factory=dict)

    @property
    def served(self) -> Served:
        """The node with its body; of use when there are neither problems nor a disagreement."""
        return Served(self.node, self.choices[0], self.replaced, self.function, tuple(self.calls))


Replaceable = Callable[[NodeProto], bool]


def resolve_model(
    model: ModelProto, catalogue: Catalogue, *, opset: int, replace: bool | Replaceable, file: str
) -> Resolution:
    """Goes through the model once. Raises DiagnosticError for a model that cannot be gone through.

    `opset` is the default opset for which bodies are chosen; `replace` says whether, or which, operators of the
    standard are served; `file` names the model in messages.
    """
    resolver = Resolver(catalogue, opset, replace, file)
    propagation = Propagation(model, resolver, served=resolver.domains)
    uncalled = uncalled_functions(model) if model.graph.node else []  # else functions are what the model is for
    if uncalled:
        propagation.run_graph()
    else:
        propagation.run()
    alone = Resolver(catalogue, opset, replace, file)
    # (Callers first: what they say of a function counts for more than what it says for itself.)
    Propagation(model, alone, served=alone.domains).run_functions(map(function_id, reversed(uncalled)))
    served: list[Served] = []
    left: list[Diagnostic] = []
    problems: list[Diagnostic] = []
    conflicts: list[Conflict] = []
    unserved: list[Unserved] = []
    others = {key: item for key, item in alone.findings.items() if key not in resolver.findings}
    for key, findings in (resolver.findings | others).items():
        differing = [] if findings.problems else disagreement(findings, file)
        found = [*findings.problems, *(item.finding for item in differing)]
        if not found:
            served.append(findings.served)
            continue
        unserved.append(Unserved(findings.node, tuple(found)))
        if findings.replaced:
            left.extend(_left_alone(findings.place, item) for item in found)
        elif key in others:
            left.extend(map(_left_uncalled, found))
        else:
            problems.extend(found)
            conflicts.extend(differing)
    bodies = {**alone.instances.bodies, **resolver.instances.bodies}
    return Resolution(tuple(served), tuple(left), tuple(problems), tuple(conflicts), tuple(unserved), bodies)


_Said = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """The body that a call means, or what is wrong with it; the promised shapes of its outputs, and their types."""

    chosen: Instance | None
    problems: tuple[Diagnostic, ...]
    shapes: tuple[tuple[int | None, ...] | None, ...]
    outputs: tuple[Fact, ...]


class Resolver:
    """The visitor: looks up each node, and says of those it serves what their outputs are."""

    def __init__(self, catalogue: Catalogue, opset: int, replace: bool | Replaceable, file: str) -> None:
        self.findings: dict[int, Findings] = {}  # by id(node); the findings keep their nodes alive
        self._catalogue = catalogue
        self._opset = opset
        self._file = file
        self._emitted = {domain.mirror: domain for domain in catalogue.domains.values()}
        mirrored = [domain for domain in catalogue.domains.values() if domain.mirror != domain.name]
        self._replaced = {normal_domain(domain.name): domain for domain in mirrored} if replace else {}
        self._replaceable = replace if callable(replace) else None
        self.instances = Instances(catalogue)
        self._outputs = OutputTypes(self.instances, opset)
        self._answers: dict[_Said | None, _Answer] = {}

    @property
    def domains(self) -> Collection[str]:
        """Those of which each node is served, or is a problem."""
        return self._emitted.keys()

    def visit(self, visit: Visit) -> Sequence[Fact] | None:
        if visit.function is not None and record_of(visit.function) is not None:
            return None  # linked before; what it calls is in the model, and its operators are meant as they stand
        domain = normal_domain(visit.node.domain)
        replaced = domain not in self._emitted
        try:
            if replaced:
                entry = self.standard_operator(visit, domain)
            else:
                entry = self._own_function(visit, self._emitted[domain])
        except DiagnosticError as error:
            self._note(visit, replaced).problems.update(dict.fromkeys(error.diagnostics))
            return [None] * len(visit.node.output)
        if entry is None:
            return None
        call = Call(entry, visit, self._opset, self._file)
        findings = self._note(visit, replaced)
        answer = self._answer(call)
        findings.problems.update(dict.fromkeys(answer.problems))
        if answer.chosen is not None:
            findings.choices.append(answer.chosen)
            findings.calls.append(call)
        if visit.scope is not None:
            for name, shape in zip(visit.node.output, answer.shapes, strict=False):
                if shape is not None:
                    visit.scope.shapes.setdefault(name, shape)
        return answer.outputs

    def _answer(self, call: Call) -> _Answer:
        """What the libraries say to a call. One that says the same as a call before gets the same answer; what is wrong
        with a call is said of each node."""
        said = _said(call)
        known = self._answers.get(said)
        if known is not None:
            return known
        chosen: Instance | None = None
        problems: tuple[Diagnostic, ...] = ()
        try:
            chosen = self.instances.choose(call)
        except DiagnosticError as error:
            problems = tuple(error.diagnostics)
        outputs = self._outputs.of(call, chosen)
        undeclared = () if chosen is None else tuple(undeclared_outputs(call, outputs))
        if undeclared:
            chosen, problems = None, undeclared
        answer = _Answer(chosen, problems, tuple(promised_shapes(call)), tuple(outputs))
        if said is not None and not problems:
            self._answers[said] = answer
        return answer

    def _note(self, visit: Visit, replaced: bool) -> Findings:
        return self.findings.setdefault(id(visit.node), Findings(visit.node, visit.place, replaced, visit.function))

    def standard_operator(self, visit: Visit, domain: str) -> FunctionEntry | None:
        """The function of a mirrored domain that is this very version of the standard's operator. One that has bodies
        for older opsets alone, which lack the operator, replaces it nowhere else."""
        owner = self._replaced.get(domain)
        if owner is None or (self._replaceable is not None and not self._replaceable(visit.node)):
            return None
        schema = schema_at(visit.node.op_type, domain, visit.imports.get(domain, 0))
        if schema is None:
            return None
        versions = self._catalogue.versions_of(owner.name, visit.node.op_type)
        entry = next((entry for entry in versions if entry.since_version == schema.since_version), None)
        if entry is not None and entry.last_opset < entry.since_version <= self._opset:
            return None
        return entry

    def _own_function(self, visit: Visit, domain: DomainEntry) -> FunctionEntry:
        node = visit.node
        version = visit.imports.get(normal_domain(node.domain), self._catalogue.version_assumed(domain))
        versions = self._catalogue.versions_of(domain.name, node.op_type)
        if not versions:
            raise DiagnosticError([self._unknown_function(visit, domain)])
        if version > domain.version:
            raise DiagnosticError([self._newer_domain(visit, domain, version, versions[0])])
        entry = version_at(versions, version)
        if entry is None:
            text = f"{domain.name} has {node.op_type} from version {versions[0].since_version} on"
            reason = f"the model imports version {version} of {node.domain}"
            help_text = f"import version {versions[0].since_version} of {node.domain} in the model"
            raise DiagnosticError([self._problem("OW554", visit, text, reason, help_text)])
        return entry

    def _unknown_function(self, visit: Visit, domain: DomainEntry) -> Diagnostic:
        close = self._catalogue.close_names(domain.name, visit.node.op_type)
        text = f"{domain.name} has no function {visit.node.op_type}"
        libraries = {
            str(origin)
            for identity, origin in self._catalogue.origins.items()
            if identity.rpartition("::")[0] == domain.name
        }
        reason = f"the domain {visit.node.domain} belongs to {', '.join(sorted(libraries))}" if libraries else ""
        help_text = f"did you mean {' or '.join(close)}?" if close else "give a release of the library that has it"
        bases = possible_bases(visit.node.op_type)[1:]
        base = next((item for item in bases if self._catalogue.versions_of(domain.name, item)), None)
        if base is not None:
            reason = f"variants of {base} have such names in a model that a library is attached to"
            help_text = f"write `{base}` with its attributes, or attach the library to the original model"
            if newest_note(visit.node) is not None:
                reason = f"it is the name of a variant of {base}, which was attached, and another tool has removed"
                help_text = "detach first (`opwright detach`): it gives the call back as it was"
        return self._problem("OW553", visit, text, reason, help_text)

    def _newer_domain(self, visit: Visit, domain: DomainEntry, version: int, entry: FunctionEntry) -> Diagnostic:
        origin = self._catalogue.origins.get(entry.identity, "the library")
        text = f"the model imports version {version} of {visit.node.domain}, {origin} knows it up to {domain.version}"
        reason = f"what {entry.name} means at version {version} is written in a later release only"
        help_text = f"give a later release of the library, or import version {domain.version} in the model"
        return self._problem("OW555", visit, text, reason, help_text)

    def _problem(self, code: str, visit: Visit, message: str, reason: str, help_text: str) -> Diagnostic:
        return Diagnostic(code, f"{visit.place}: {message}", Place(self._file), reason, help_text)


def _said(call: Call) -> _Said | None:
    """All of a call that its answer rests on; None where a graph is given, which means what the imports around it
    say."""
    visit = call.visit
    if any(item.type in (AttributeProto.GRAPH, AttributeProto.GRAPHS) for item in visit.attributes.values()):
        return None
    shapes = tuple(map(visit.shape, range(len(visit.inputs))))
    written = tuple(item.name for item in visit.node.attribute)
    resolved = tuple(item.SerializeToString(deterministic=True) for item in visit.attributes.values())
    named = tuple(map(bool, visit.node.output))
    return call.entry.identity, visit.inputs, visit.ranks, shapes, named, written, resolved


def disagreement(findings: Findings, file: str) -> list[Conflict]:
    """A node of a model-local function that is called with facts that need different bodies."""
    first = findings.choices[0]
    position = next((at for at, item in enumerate(findings.choices) if item.content != first.content), None)
    if position is None:
        return []
    pairs = [(first, findings.calls[0]), (findings.choices[position], findings.calls[position])]
    variants = " and ".join(item.variant_text for item, _ in pairs)
    text = f"{findings.place}: {first.entry.identity} is reached with {variants}, which have different bodies"
    reason = "the function that holds this node is called from several places, and it can call one body only"
    help_text = "inline the model's own functions first, with onnx.inliner"
    sides = (_needed(item, call) for item, call in pairs)
    return [make_conflict(Diagnostic("OW569", text, Place(file), reason, help_text), *sides)]


def _needed(instance: Instance, call: Call) -> Requirement:
    caller = call.visit.scope.caller if call.visit.scope is not None else ""
    text = f"needs {instance.entry.identity} with {instance.variant_text}, {instance.body.body}"
    return Requirement(caller or "the function, for itself,", text)


def _left_uncalled(problem: Diagnostic) -> Diagnostic:
    """A problem of a node of which nothing says what it is given, and which nothing runs."""
    reason = "; ".join(filter(None, (problem.reason, "nothing calls the function, which is left as it is")))
    return replace_fields(problem, reason=reason, help="", severity=Severity.WARNING)


def _left_alone(place: str, problem: Diagnostic) -> Diagnostic:
    message = problem.message.removeprefix(f"{place}: ")
    return Diagnostic(
        "OW570",
        f"{place}: the standard's operator is left as it is",
        problem.place,
        f"{message}; {problem.reason}" if problem.reason else message,
        problem.help,
        severity=Severity.WARNING,
    )
