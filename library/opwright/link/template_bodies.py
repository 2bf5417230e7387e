"""Templates of a library made for one call: the body that such a call needs, from the template's text alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from opwright.bundle.call_interface import ANY, inputs_of_call, split_type
from opwright.bundle.format import AttributeEntry, BodyEntry, FunctionEntry, InputEntry, OutputEntry, TemplateEntry
from opwright.diagnostics.diagnostic import Diagnostic, has_errors
from opwright.elements import BY_NAME
from opwright.lang import facts
from opwright.lang.families.bodies import AnonymousBodies, body_entry
from opwright.lang.families.carried import carried_instance
from opwright.lang.families.instances import MissingFact, TemplateInstance, choose_attribute, choose_rank, specialise
from opwright.lang.families.template import MalformedTemplateError, read_template, statement_at
from opwright.lang.looked_up import Answers
from opwright.lang.meaning.function_unit import Unit
from opwright.lang.meaning.interface import Arity, AttributeDeclaration, Declaration, DeclaredValue, Input, Interface
from opwright.link.catalogue import Catalogue
from opwright.link.naming import version_at
from opwright.link.value_types import ABSENT, element_of
from opwright.protos.canonical_tensors import RefusedError

_NOWHERE = (1, 0, 1, 0)


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What a call tells a template: types of its inputs as text (ABSENT, None: not known), their ranks, and the values
    of its attributes, those left to their defaults too; graphs as GraphObject."""

    inputs: tuple[str | None, ...]
    ranks: tuple[int | None, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MadeInstance:
    """The body of a template for one call at one opset, and what it was made of."""

    body: BodyEntry
    proto: bytes
    instance: TemplateInstance

    @property
    def looked_up(self) -> Answers:
        """The schema versions that it was looked up at."""
        return self.instance.looked_up


class NotMadeError(Exception):
    """A call for which there is no instance. `axis`: the fact that is missing, where that is all."""

    def __init__(self, reason: str, axis: str = "") -> None:
        self.reason = reason
        self.axis = axis
        super().__init__(reason)


def read_unit(catalogue: Catalogue, entry: FunctionEntry, template: TemplateEntry) -> Unit:
    """The template as the compiler takes it. Raises MalformedTemplateError."""
    data = catalogue.templates.get(template.template)
    if data is None:
        raise MalformedTemplateError(f"{template.template} is not among the library's templates")
    return read_template(data, _declaration(entry), _interface(entry), CatalogueLibraries(catalogue))


@dataclass(frozen=True, slots=True)
class _Known:
    """A body, and what its call said: of inputs that may be of any type, and to each question in turn."""

    said: Mapping[str, str]
    asked: Sequence[tuple[str, tuple[str, ...], str | None]]
    made: MadeInstance

    def is_for(self, said: Mapping[str, str], answers: _Answers) -> bool:
        return self.said == said and all(answers.answer(axis, values) == found for axis, values, found in self.asked)


class Instances:
    """The bodies of a template. A call that says the same as one before to all that is asked gets its body."""

    def __init__(self, unit: Unit, entry: FunctionEntry) -> None:
        self._unit = unit
        self._entry = entry
        self._known: dict[int, list[_Known]] = {}  # by opset
        self._carried: dict[tuple[int, int], tuple[MadeInstance, MadeInstance | None]] = {}  # by id, and opset
        self._anonymous = AnonymousBodies()

    def make(self, opset: int, call: CallFacts, before: MadeInstance | None = None) -> MadeInstance:
        """The body for a call. `before` is that of the same call at the opset before, where its graphs, if any, are
        written for the opset each time. Raises NotMadeError."""
        carried = None if before is None else self._carry(before, opset)
        return carried or self._specialised(opset, call)

    def _carry(self, before: MadeInstance, opset: int) -> MadeInstance | None:
        key = (id(before), opset)
        if key not in self._carried:
            made = carried_instance(before.instance, opset)
            if made is not before.instance:
                self._carried[key] = before, None if made is None else self._with_body(opset, made)
            else:
                self._carried[key] = before, before
        return self._carried[key][1]

    def _specialised(self, opset: int, call: CallFacts) -> MadeInstance:
        entry = self._entry
        given = inputs_of_call(entry, len(call.inputs))
        answers = _Answers(entry, given, call)
        graphs = {item.name: call.attributes.get(item.name) for item in entry.attributes if item.type == "GRAPH"}
        typed, said = _typed(self._unit, given, call)
        has_graphs = any(graph is not None for graph in graphs.values())
        known = [] if has_graphs else self._known.setdefault(opset, [])
        alike = next((item.made for item in known if item.is_for(said, answers)), None)
        if alike is not None:
            return alike
        asked: list[tuple[str, tuple[str, ...], str | None]] = []

        def answer(axis: str, values: tuple[str, ...]) -> str | None:
            asked.append((axis, values, answers.answer(axis, values)))
            return asked[-1][2]

        try:
            instance = specialise(typed, opset, answer, graphs, said)
        except MissingFact as missing:
            raise NotMadeError(f"it depends on {missing.axis}, which is not known here", missing.axis) from None
        made = self._with_body(opset, instance)
        known.append(_Known(said, asked, made))
        return made

    def _with_body(self, opset: int, made: TemplateInstance) -> MadeInstance:
        lowered, entry = made.lowered, self._entry
        if lowered.function is None or has_errors(lowered.diagnostics):
            raise NotMadeError(_said(self._unit, lowered.diagnostics))
        try:
            canonical = self._anonymous.of(lowered)
        except RefusedError as refused:
            raise NotMadeError(str(refused)) from None
        outputs = made.outputs if entry.outputs and entry.outputs[-1].variadic else ()
        body = body_entry(made.key, lowered, canonical, (opset, opset), outputs)
        return MadeInstance(body, canonical.proto, made)


def _said(unit: Unit, diagnostics: Sequence[Diagnostic]) -> str:
    """What is wrong first, and in which statement: a template keeps no lines."""
    if not diagnostics:
        return "there is nothing to make"
    first = diagnostics[0]
    said = f"{first.message}: {first.reason}" if first.reason else first.message
    statement = statement_at(unit, first.place)
    return f"{said} (in `{statement}`)" if statement else said


class CatalogueLibraries:
    """The functions that a template may call: those of the libraries at hand."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        return None

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        return None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        own = self._catalogue.versions_of(domain, name)
        return version_at(own or self._catalogue.borrowed.versions_of(domain, name), version)

    def emitted_domain(self, domain: str) -> str | None:
        return None if self._catalogue.domain_called(domain) is None else self._catalogue.emitted(domain)

    def names(self, domain: str) -> tuple[str, ...]:
        return tuple(sorted(name for owner, name in self._catalogue.versions if owner == domain))


# ---------------------------------------------------------------------------------------------------- the interface


def _declared(item: InputEntry | OutputEntry) -> DeclaredValue:
    wrap, inner = split_type(item.type)
    shape = item.declared_shape
    if shape is None or all(size is None for size in shape):
        return DeclaredValue(inner, None if shape is None else len(shape), None, wrap)
    return DeclaredValue(inner, len(shape), shape, wrap)


def _declaration(entry: FunctionEntry) -> Declaration:
    return Declaration(
        entry.domain,
        entry.name,
        entry.since_version,
        {item.name: _declared(item) for item in entry.inputs},
        {item.name: _declared(item) for item in entry.outputs},
        {name: tuple(BY_NAME[element] for element in elements) for name, elements in entry.types},
        variadic_output=bool(entry.outputs) and entry.outputs[-1].variadic,
    )


def _interface(entry: FunctionEntry) -> Interface:
    return Interface(
        tuple(
            Input(item.name, _arity(item), _NOWHERE, has_gaps=item.variadic and item.optional) for item in entry.inputs
        ),
        tuple(_attribute(item) for item in entry.attributes),
    )


def _arity(item: InputEntry) -> Arity:
    if item.variadic:
        return Arity.VARIADIC
    return Arity.OPTIONAL if item.optional else Arity.REQUIRED


def _attribute(item: AttributeEntry) -> AttributeDeclaration:
    return AttributeDeclaration(item.name, item.type, item.required, item.default, item.is_bool, item.choices, _NOWHERE)


def _typed(unit: Unit, given: Sequence[InputEntry], call: CallFacts) -> tuple[Unit, dict[str, str]]:
    """The unit with the types of the call for inputs that may be of any, and these types by input."""
    found: dict[str, str] = {}
    inputs = dict(unit.declaration.inputs)
    for formal, fact in zip(given, call.inputs, strict=False):
        if formal.type == ANY and fact != ABSENT:
            wrap, inner = split_type(fact or "")
            element = element_of(inner)
            if element is None:
                raise NotMadeError(f"it depends on {formal.name}, whose type is not known here", formal.name)
            inputs[formal.name] = DeclaredValue(element, None, None, wrap)
            found[formal.name] = any_fact(wrap, element)
    return replace(unit, declaration=replace(unit.declaration, inputs=inputs)), found


def any_fact(wrap: Sequence[str], element: str) -> str:
    """What a variant says of an input that may be of any type: `float`, `seq(float)`."""
    text = element
    for kind in reversed(wrap):
        text = f"{kind}({text})"
    return text


# -------------------------------------------------------------------------------------------------------- answers


class _Answers:
    """What a call says to a template's questions."""

    def __init__(self, entry: FunctionEntry, given: Sequence[InputEntry], call: CallFacts) -> None:
        self.entry = entry
        self.call = call
        self.positions = {item.name: index for index, item in enumerate(given)}
        self.given = given

    def answer(self, axis: str, values: tuple[str, ...]) -> str | None:
        """The value of an axis; None where the call does not tell it, or none of the values is meant."""
        if axis in dict(self.entry.types):
            return self._element(axis, values)
        if axis.endswith(facts.RANK) and axis.removesuffix(facts.RANK) in self.positions:
            rank = self._at(self.call.ranks, axis.removesuffix(facts.RANK))
            return None if rank is None else choose_rank(rank, values)
        if self.entry.inputs and self.entry.inputs[-1].variadic and axis == self.entry.inputs[-1].name:
            return str(len(self.given) - len(self.entry.inputs) + 1)
        if axis in self.positions:
            return facts.ABSENT if self._at(self.call.inputs, axis, ABSENT) == ABSENT else facts.PRESENT
        return choose_attribute(self.call.attributes[axis], values) if axis in self.call.attributes else None

    def _at(self, items: Sequence[Any], name: str, missing: Any = None) -> Any:
        position = self.positions[name]
        return items[position] if position < len(items) else missing

    def _element(self, variable: str, values: tuple[str, ...]) -> str | None:
        for formal, fact in zip(self.given, self.call.inputs, strict=False):
            wrap, inner = split_type(formal.type)
            if inner != variable or not fact:
                continue
            found, text = split_type(fact)
            element = element_of(text)
            if found == wrap and element is not None:
                return element if not values or element in values else None
        return None
