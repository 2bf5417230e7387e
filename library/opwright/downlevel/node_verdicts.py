"""What becomes of each node: it stays, takes the form of another version, becomes a call of a function, or fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from onnx import FunctionProto, ModelProto, NodeProto, defs

from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.downlevel.form import Form
from opwright.downlevel.other_version import form_at, form_schema, type_reasons
from opwright.downlevel.target import Target
from opwright.elements import BY_NAME
from opwright.graphs.ids import FunctionId, called, function_id, uncalled_functions
from opwright.graphs.ir_versions import INITIALIZERS_IR
from opwright.graphs.walk import all_nodes, subgraphs
from opwright.link.catalogue import Catalogue
from opwright.link.node_resolution import Findings, Resolver, Served, disagreement
from opwright.link.propagate import Fact, Propagation, Visit
from opwright.link.schema_types import formals, infer_outputs, schema_at
from opwright.link.value_types import ABSENT, element_of
from opwright.opsets.records import CONSTANT, record_of
from opwright.opsets.signatures import elements_at, newest_opset


@dataclass(frozen=True, slots=True)
class Restamped:
    """A node that is one of another version of its operator, `there`, once it has become what `form` says."""

    node: NodeProto
    place: str
    form: Form
    here: defs.OpSchema
    there: defs.OpSchema


@dataclass(frozen=True, slots=True)
class Verdict:
    """`places` are those of the served nodes, in their order; `bodies` those of template instances that were made.
    `left_out` are functions that nothing calls and that cannot be had, with the reason."""

    served: tuple[Served, ...]
    places: tuple[str, ...]
    restamped: tuple[Restamped, ...]
    bodies: Mapping[str, bytes]
    left_out: Mapping[FunctionId, str]


@dataclass(slots=True)
class _Kept:
    """What the visits of one node said that needs no function; `failed` are reasons that came up later."""

    node: NodeProto
    place: str
    function: FunctionProto | None
    forms: list[Restamped] = field(default_factory=list)
    unchanged: bool = False
    failed: dict[str, None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What becomes of a node in `function`, or the problems; `content` is equal where the same becomes of it."""

    function: FunctionProto | None
    problems: Sequence[Diagnostic]
    content: tuple[object, ...] = ()
    served: tuple[Served, str] | None = None
    restamped: Restamped | None = None


def judge_model(
    model: ModelProto,
    catalogue: Catalogue,
    *,
    opset: int,
    target: Target,
    file: str,
    calls: Sequence[NodeProto] = (),
    uncalled: bool = True,
) -> Verdict:
    """Goes through the model once. Raises DiagnosticError with every node that cannot be had at `opset`.

    `calls`: operators of the standard that shall call their functions whatever the opset has. Functions that nothing
    calls are judged for themselves, where they are wanted, and are left out where they cannot be had, for a model
    computes the same without them; but where there is no node in the graph, they are what the model is for.
    """
    judge = _Judge(model, catalogue, opset, target, file, calls)
    propagation = Propagation(model, judge, judge.observe)
    if model.graph.node:
        propagation.run_graph()
    else:
        propagation.run()
    found = judge.outcomes()
    problems = [problem for item in found.values() for problem in item.problems]
    if problems:
        raise DiagnosticError(problems)
    functions = uncalled_functions(model) if uncalled and model.graph.node else []
    alone = _Judge(model, catalogue, opset, target, file, calls)
    # (Callers first: what they say of a function counts for more than what it says for itself.)
    Propagation(model, alone, alone.observe).run_functions(map(function_id, reversed(functions)))
    others = alone.outcomes()
    left_out = _left_out(functions, others, found)
    kept = {function_id(function) for function in functions} - left_out.keys()
    for key, item in others.items():
        if item.function is not None and function_id(item.function) in kept:
            found[key] = item
    served = [item.served for item in found.values() if item.served is not None]
    return Verdict(
        tuple(item for item, _ in served),
        tuple(place for _, place in served),
        tuple(item.restamped for item in found.values() if item.restamped is not None),
        {**judge.instances.bodies, **alone.instances.bodies},
        left_out,
    )


def _left_out(
    functions: Iterable[FunctionProto], alone: Mapping[int, _Outcome], called_ones: Mapping[int, _Outcome]
) -> dict[FunctionId, str]:
    """Those of the functions, callees first, that cannot be had, with the reason: it may lie in what they call, which
    may have one form for all calls only."""
    reasons: dict[FunctionId, str] = {}
    for key, item in alone.items():
        if item.function is None:
            continue
        problem = next(iter(item.problems), None)
        if problem is not None:
            reasons.setdefault(function_id(item.function), "; ".join(filter(None, (problem.message, problem.reason))))
        elif key in called_ones and called_ones[key].content != item.content:
            text = f"it calls {item.function.domain}::{item.function.name} otherwise than the graph does"
            reasons.setdefault(function_id(item.function), text)
    found: dict[FunctionId, str] = {}
    for function in functions:
        identity = function_id(function)
        reason = next((reasons[item] for item in (identity, *called(function)) if item in reasons), None)
        if reason is not None:
            found[identity] = reasons[identity] = reason
    return found


class _Judge(Resolver):
    """Says of each operator of the standard whether it has to be served by a function."""

    def __init__(
        self,
        model: ModelProto,
        catalogue: Catalogue,
        opset: int,
        target: Target,
        file: str,
        calls: Sequence[NodeProto],
    ) -> None:
        super().__init__(catalogue, opset, True, file)
        self._calls = {id(node): node for node in calls}  # which keeps them alive
        self._model = model
        self._target = target
        self._kept: dict[int, _Kept] = {}  # by id(node), as are the findings
        self._reasons: dict[int, tuple[str, str, str]] = {}  # code, message and reason of what needs a function
        self._names: frozenset[str] | None = None  # what `_read` has found

    def standard_operator(self, visit: Visit, domain: str) -> FunctionEntry | None:
        limit = self._target.version_of(domain)
        version = visit.imports.get(domain, 0)
        here = schema_at(visit.node.op_type, domain, version)
        if domain == "" and (here is None or version > newest_opset()):
            raise DiagnosticError([self._unknown(visit, version)])
        if limit is None or here is None:
            return None
        goal = min(version, limit) if domain else self._opset
        requested = super().standard_operator(visit, domain) if id(visit.node) in self._calls else None
        if requested is not None:
            text = f"{visit.place}: {here.name} called a function of a library"
            self._reasons.setdefault(id(visit.node), ("OW581", text, "attached on request"))
            return requested
        # (One that was requested at another opset may have none at that one.)
        found = self._judge(visit, domain, here, goal)
        if found is None:
            return None
        self._reasons.setdefault(id(visit.node), found)
        lacking = self._lacking_elements(visit, here)
        entry = super().standard_operator(visit, domain) if not lacking else None
        if entry is None:
            raise DiagnosticError([self._unserved(visit, here, lacking)])
        return entry

    def _judge(self, visit: Visit, domain: str, here: defs.OpSchema, goal: int) -> tuple[str, str, str] | None:
        """Notes a node that needs no function; else gives code, message and reason."""
        name, place = visit.node.op_type, visit.place
        where = f"{domain} {goal}" if domain else self._opset_text()
        there = schema_at(name, domain, goal) if goal > 0 else None
        if there is None:
            return self._judge_before(visit, domain, here, goal, where)
        if self._target.lacks_kernel(domain, there, _bound(visit, there)):
            types = ", ".join(f"{key}: {value}" for key, value in _bound(visit, there).items())
            text = f"{place}: {self._target.name} has no kernel for {name} of version {there.since_version}"
            return ("OW583", text, f"the element types are {types}" if types else "")
        if there.since_version == here.since_version:
            self._keep(visit).unchanged = True
            return None
        reasons = self._keep_form(visit, domain, here, goal)
        if reasons:
            versions = f"of version {here.since_version} is not that of {where}, version {there.since_version}"
            return ("OW582", f"{place}: {name} {versions}", "; ".join(reasons))
        return None

    def _judge_before(
        self, visit: Visit, domain: str, here: defs.OpSchema, goal: int, where: str
    ) -> tuple[str, str, str] | None:
        """Likewise, of an operator that there is not yet: it may become another one."""
        known = goal > 0 and record_of(domain, here.name).before is not None
        reasons = self._keep_form(visit, domain, here, goal) if known else ()
        if known and not reasons:
            return None
        since = f"{here.name} came with version {_first_version(here)} of {domain or 'ai.onnx'}"
        return ("OW581", f"{visit.place}: {where} has no {here.name}", "; ".join((since, *reasons)))

    def _keep_form(self, visit: Visit, domain: str, here: defs.OpSchema, goal: int) -> tuple[str, ...]:
        """Notes what the node becomes at another version; why it becomes none."""
        nested = any(True for _ in subgraphs(visit.node))
        outputs = None if nested else infer_outputs(visit.node, domain, visit.inputs, visit.attributes, visit.imports)
        form, reasons = form_at(visit, outputs, here, goal, self._opset, self._read)
        if reasons and form.tensor is not None and self._model.ir_version >= INITIALIZERS_IR:
            form.is_initializer, reasons = True, ()  # which may be of any type
        if not reasons:
            self._keep(visit).forms.append(Restamped(visit.node, visit.place, form, here, form_schema(form, goal)))
        return reasons

    @property
    def _read(self) -> frozenset[str]:
        """The names of all values that something reads, and of all outputs."""
        if self._names is not None:
            return self._names
        found: set[str] = set()
        for nodes in (self._model.graph.node, *(function.node for function in self._model.functions)):
            for node in all_nodes(nodes):
                found.update(node.input)
                found.update(value.name for graph in subgraphs(node) for value in graph.output)
        found.update(value.name for value in self._model.graph.output)
        found.update(name for function in self._model.functions for name in function.output)
        self._names = frozenset(found - {""})
        return self._names

    def _keep(self, visit: Visit) -> _Kept:
        return self._kept.setdefault(id(visit.node), _Kept(visit.node, visit.place, visit.function))

    def observe(self, visit: Visit, outputs: Sequence[Fact]) -> None:
        """Judges the outputs of nodes with subgraphs, which are known when these have been gone through."""
        kept = self._kept.get(id(visit.node))
        if kept is None or not kept.forms or not any(True for _ in subgraphs(visit.node)):
            return
        last = kept.forms[-1]
        kept.failed.update(dict.fromkeys(type_reasons(last.form, outputs, last.here, last.there)))

    def outcomes(self) -> dict[int, _Outcome]:
        """Everything that was found, by id(node)."""
        found: dict[int, _Outcome] = {}
        for key, findings in self.findings.items():
            problems = self._refusals(key, findings)
            if problems:
                found[key] = _Outcome(findings.function, problems)
            else:
                served = findings.served
                found[key] = _Outcome(findings.function, (), (served.instance.content,), (served, findings.place))
        for key, kept in self._kept.items():
            if key not in found:  # else it is told there that there are two ways
                form = next(iter(kept.forms), None)
                content = () if form is None else _content(form.form)
                found[key] = _Outcome(kept.function, self._kept_refusals(kept), content, restamped=form)
        return found

    def _refusals(self, key: int, findings: Findings) -> list[Diagnostic]:
        """Of a node that is to be served: why it cannot be."""
        found = list(findings.problems)
        if not findings.replaced:
            return found or self._disagreement(findings)
        if found:
            return [self._with_reason(key, findings.place, found)]
        if key in self._kept:
            return [self._two_ways(findings.place)]
        return self._disagreement(findings)

    def _disagreement(self, findings: Findings) -> list[Diagnostic]:
        return [conflict.finding for conflict in disagreement(findings, self._file)]

    def _kept_refusals(self, kept: _Kept) -> list[Diagnostic]:
        if kept.failed:
            text = f"{kept.place}: {kept.node.op_type} is not that of {self._opset_text()}"
            return [Diagnostic("OW582", text, Place(self._file), "; ".join(kept.failed), _TYPES)]
        contents = {_content(item.form) for item in kept.forms}
        if len(contents) + (kept.unchanged and bool(contents)) > 1:
            return [self._two_ways(kept.place)]
        return []

    def _with_reason(self, key: int, place: str, problems: Sequence[Diagnostic]) -> Diagnostic:
        """One finding of why a function is needed and why there is none that serves."""
        if problems[0].code in ("OW581", "OW582", "OW583"):
            return problems[0]
        code, message, reason = self._reasons[key]
        first = problems[0]
        detail = first.message.removeprefix(f"{place}: ")
        reasons = [reason, f"{detail} ({first.reason})" if first.reason else detail]
        return Diagnostic(code, message, Place(self._file), "; ".join(filter(None, reasons)), first.help)

    def _unknown(self, visit: Visit, version: int) -> Diagnostic:
        text = f"{visit.place}: what {visit.node.op_type} is at opset {version} is not known"
        reason = f"the installed onnx knows the operators up to opset {newest_opset()}, and no such one at that opset"
        return Diagnostic("OW582", text, Place(self._file), reason, "see to the model's imports, or update onnx")

    def _unserved(self, visit: Visit, here: defs.OpSchema, lacking: Sequence[str]) -> Diagnostic:
        code, message, reason = self._reasons[id(visit.node)]
        if CONSTANT.describes(visit.node) and not any(item.ref_attr_name for item in visit.node.attribute):
            return Diagnostic(code, message, Place(self._file), reason, _CONSTANTS)  # no library has one
        if lacking:
            help_text = (
                f"change the node: opset {self._opset} has no {' and no '.join(lacking)}, and so no library helps"
            )
            return Diagnostic(code, message, Place(self._file), reason, help_text)
        identity = f"{here.domain or 'ai.onnx'}::{here.name}@{here.since_version}"
        reasons = [reason, f"no library given has {identity}"]
        help_text = (
            _TYPES
            if "is not known" in reason
            else f"give a library that has {identity} with --library, or change the node"
        )
        return Diagnostic(code, message, Place(self._file), "; ".join(filter(None, reasons)), help_text)

    def _lacking_elements(self, visit: Visit, here: defs.OpSchema) -> list[str]:
        """The element types of a node that no operator of the opset takes or gives, and so no function either."""
        outputs = infer_outputs(visit.node, here.domain, visit.inputs, visit.attributes, visit.imports)
        elements = dict.fromkeys(filter(None, map(element_of, (*visit.inputs, *outputs))))
        return [name for name in elements if not elements_at(self._opset) & BY_NAME[name].mask]

    def _two_ways(self, place: str) -> Diagnostic:
        reason = "the function that holds it is called from several places, and its one node can have one form only"
        text = f"{place}: the calls that reach this node ask for different forms of it"
        return Diagnostic("OW569", text, Place(self._file), reason, "inline the model's own functions first")

    def _opset_text(self) -> str:
        return f"opset {self._opset}"


_TYPES = "declare the types in the graph's value_info, or run onnx.shape_inference.infer_shapes on the model first"
_CONSTANTS = "make it an initializer of the main graph, which IR version 4 is needed for, or a `Cast` of floats"


def _first_version(schema: defs.OpSchema) -> int:
    """The version with which an operator came."""
    while (before := schema_at(schema.name, schema.domain, schema.since_version - 1)) is not None:
        schema = before
    return schema.since_version


def _bound(visit: Visit, schema: defs.OpSchema) -> dict[str, str]:
    """The element type of each type variable that the inputs tell."""
    bound: dict[str, str] = {}
    for formal, fact in zip(formals(schema.inputs), visit.inputs, strict=False):
        element = element_of(fact) if fact != ABSENT else None
        if element is not None and formal.is_homogeneous:
            bound.setdefault(formal.type_str, element)
    return bound


def _content(form: Form) -> tuple[object, ...]:
    """Equal for two visits that make the same of a node."""
    attributes = [form.attributes[name].SerializeToString(deterministic=True) for name in sorted(form.attributes)]
    inputs = [item if isinstance(item, str) else item.SerializeToString(deterministic=True) for item in form.inputs_]
    return form.operator, tuple(inputs), tuple(attributes), form.replacement
