"""Which of a version's bodies a case runs on: those of the variant that the case asks for, each at its opsets."""

from __future__ import annotations

from onnx import GraphProto
from opwright.bundle.call_interface import ANY, inputs_of_call
from opwright.bundle.format import BodyEntry, FunctionEntry
from opwright.lang.facts import ABSENT, PRESENT, RANK, fact_of
from opwright.lang.families.instances import graph_digest
from opwright.variants import VariantTable

from opwright_build.verify.case_model import Case, Items
from opwright_build.verify.items import type_of


class Bodies:
    """The bodies of one version by what is known of a case: most cases are alike in all that a variant asks for."""

    def __init__(self, entry: FunctionEntry) -> None:
        self._entry = entry
        # Opsets at which other bodies begin to hold, and the bodies of each: variants may change at different ones.
        self._at = [
            VariantTable([body for body in entry.bodies if body.first_opset <= opset <= body.last_opset])
            for opset in sorted({body.first_opset for body in entry.bodies})
        ]
        self._axes = tuple(dict.fromkeys(axis for body in entry.bodies for axis, _ in body.variant))
        self._chosen: dict[tuple[tuple[str, ...], ...], list[BodyEntry]] = {}

    def of(self, case: Case) -> list[BodyEntry]:
        """Every body whose variant fits beside all others of its opsets. Whether it admits the element types is another
        question."""
        facts = tuple(_facts(self._entry, case, axis) for axis in self._axes)
        if facts not in self._chosen:
            known = dict(zip(self._axes, facts, strict=True))
            misfits: set[int] = set()
            for table in self._at:
                fitting = {id(body) for body in table.match(known.__getitem__).fitting}
                misfits.update(id(body) for body in table.variants if id(body) not in fitting)
            self._chosen[facts] = [body for body in self._entry.bodies if id(body) not in misfits]
        return self._chosen[facts]


def bodies_for(entry: FunctionEntry, case: Case) -> list[BodyEntry]:
    """What `Bodies` gives for a single case."""
    return Bodies(entry).of(case)


def refused_types(body: BodyEntry, case: Case) -> str:
    """The types of a case that the body's operators do not take, as text; empty when they take them all."""
    admits = dict(body.admits)
    return ", ".join(
        f"{variable}={kind}" for variable, kind in case.bindings.items() if kind not in admits.get(variable, (kind,))
    )


def _facts(entry: FunctionEntry, case: Case, axis: str) -> tuple[str, ...]:
    """What a case has on an axis: a type variable, an input (is it there?), its rank, or an attribute."""
    if axis in case.bindings:
        return (case.bindings[axis],)
    formals = inputs_of_call(entry, len(case.inputs))
    if entry.inputs and entry.inputs[-1].variadic and axis == entry.inputs[-1].name:
        return (str(len(formals) - len(entry.inputs) + 1),)
    for index, declared in enumerate(formals):
        given = case.inputs[index] if index < len(case.inputs) else None
        if declared.name == axis:
            if given is not None and declared.type == ANY:
                return (type_of(given), PRESENT)  # of an optional one the variant may say its presence alone
            return (ABSENT if given is None else PRESENT,)
        if declared.name + RANK == axis:
            return () if given is None or isinstance(given, Items) else (str(given.ndim),)
    for attribute in entry.attributes:
        if attribute.name == axis:
            value = case.attributes.get(axis, attribute.default)
            if value is None:
                return (ABSENT,)
            if isinstance(value, GraphProto):
                return (graph_digest(value),)
            # An attribute without a default may also be asked for its presence alone.
            optional = attribute.default is None and not attribute.required
            return (fact_of(value), PRESENT) if optional else (fact_of(value),)
    return ()
