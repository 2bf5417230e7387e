"""The template instances that vectors need: made for each opset as the linker makes them, to be stored and verified."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from onnx import GraphProto
from opwright.bundle.call_interface import inputs_of_call
from opwright.bundle.format import BodyEntry, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place, Related
from opwright.lang.meaning.objects import GraphObject
from opwright.link.catalogue import Catalogue
from opwright.link.choose import opset_ranges
from opwright.link.template_bodies import CallFacts, Instances, MadeInstance, NotMadeError, read_unit
from opwright.link.value_types import ABSENT, tensor_of, wrap

from opwright_build.verify.case_model import Case, Items, Value
from opwright_build.verify.dtypes import element_of


@dataclass(slots=True)
class _Range:
    """Neighbouring opsets at which a call has one body, of operators of the same versions."""

    made: MadeInstance
    first: int
    last: int

    def body(self) -> BodyEntry:
        return replace(self.made.body, first_opset=self.first, last_opset=self.last)


def with_instances(
    entry: FunctionEntry, catalogue: Catalogue, cases: Iterable[Case], place: Place | None = None
) -> tuple[FunctionEntry, dict[str, bytes], list[Diagnostic]]:
    """The entry with the instances that its cases need, their bodies by digest, and the cases for which there is none
    at some of the opsets that the function promises. `place` is the function's."""
    found: dict[tuple[object, ...], _Range] = {}
    bodies: dict[str, bytes] = {}
    refused: dict[str, dict[int, NotMadeError]] = {}  # by opset
    served: set[tuple[str, int]] = set()
    own = [case for case in cases if case.identity == entry.identity]
    for template in entry.templates:
        bodies_of = Instances(read_unit(catalogue, entry, template), entry)
        made_before: dict[Hashable, MadeInstance | NotMadeError] = {}  # most vectors differ in numbers alone
        for case in own:
            current: _Range | None = None
            for opset in range(template.first_opset, template.last_opset + 1):
                call = facts_of(entry, case, opset)
                said = (call.inputs, call.ranks, *map(_said, call.attributes.items()))
                if (opset, said) not in made_before:
                    made_before[opset, said] = _made(bodies_of, opset, call, made_before.get((opset - 1, said)))
                made = made_before[opset, said]
                if isinstance(made, NotMadeError):
                    refused.setdefault(case.name, {})[opset] = made
                    current = None
                    continue
                served.add((case.name, opset))
                if current is not None and _same(current.made, made):
                    current.last = opset
                else:
                    current = _Range(made, opset, opset)
                    bodies[made.body.body] = made.proto
                key = (made.body.variant, made.body.body, current.first)
                found[key] = max(found.get(key, current), current, key=lambda item: item.last)
    instances = tuple(item.body() for item in found.values())
    unmade: dict[tuple[str, str], list[Case]] = {}  # by the opsets and the reason
    served_somewhere = {name for name, _ in served}
    for case in own:
        at = {opset: why for opset, why in refused.get(case.name, {}).items() if (case.name, opset) not in served}
        if at and not case.error and not (_has_graph(case) and case.name in served_somewhere):
            opsets = opset_ranges((opset, opset) for opset in sorted(at))
            unmade.setdefault((opsets, at[max(at)].reason), []).append(case)
    findings = [_not_made(alike, opsets, reason, place) for (opsets, reason), alike in unmade.items()]
    return replace(entry, bodies=(*entry.bodies, *instances)), bodies, findings


def _made(
    instances: Instances, opset: int, call: CallFacts, before: MadeInstance | NotMadeError | None
) -> MadeInstance | NotMadeError:
    try:
        return instances.make(opset, call, None if isinstance(before, NotMadeError) else before)
    except NotMadeError as error:
        return error


def _said(attribute: tuple[str, object]) -> Hashable:
    """Equal for attributes that say the same. A value of another type than most equals itself alone."""
    name, value = attribute
    if isinstance(value, GraphObject):
        return name, value.proto.SerializeToString(deterministic=True)
    items = value if isinstance(value, (list, tuple)) else (value,)
    plain = all(item is None or type(item) in (bool, int, float, str, bytes) for item in items)
    return name, repr(value) if plain else id(value)


def _has_graph(case: Case) -> bool:
    """Whether a graph is given, which may use an operator that some of the opsets lack."""
    return any(isinstance(value, GraphProto) for value in case.attributes.values())


def _not_made(cases: Sequence[Case], opsets: str, reason: str, place: Place | None) -> Diagnostic:
    """Stands at the function, with the first of the vectors as a note. The reason is that of the newest opset."""
    case, *others = cases
    more = f" and {len(others)} more" if others else ""
    message = f"{case.identity} cannot be made for the vector {case.name}{more} at opset {opsets}"
    related = () if place is None or case.place is None else (Related(case.place, "for this vector"),)
    return Diagnostic("OW577", message, place or case.place, reason, "change the function, or the vector", related)


def _same(one: MadeInstance, other: MadeInstance) -> bool:
    return replace(one.body, first_opset=0, last_opset=0) == replace(other.body, first_opset=0, last_opset=0) and (
        one.looked_up == other.looked_up
    )


def facts_of(entry: FunctionEntry, case: Case, opset: int) -> CallFacts:
    """What a case tells a template. Its graphs are read as written for the opset: their results are judged there."""
    values = case.inputs[: len(inputs_of_call(entry, len(case.inputs)))]
    given = {item.name: case.attributes.get(item.name, item.default) for item in entry.attributes}
    attributes = {
        name: GraphObject(value, {"": opset}) if isinstance(value, GraphProto) else value
        for name, value in given.items()
    }
    return CallFacts(
        tuple(_type_text(value) for value in values),
        tuple(None if value is None or isinstance(value, Items) else value.ndim for value in values),
        attributes,
    )


def _type_text(value: Value | None) -> str | None:
    if value is None:
        return ABSENT
    return wrap("seq", tensor_of(value.kind)) if isinstance(value, Items) else tensor_of(element_of(value).name)
