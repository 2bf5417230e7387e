"""Which of a version's bodies a case runs on: one for each opset class, of the variant that the case asks for."""

from __future__ import annotations

from opwright.bundle.format import BodyEntry, FunctionEntry

from opwright_build.verify.model import Case


def bodies_for(entry: FunctionEntry, case: Case) -> list[BodyEntry]:
    """Every body whose variant fits, in the index's order. Whether it admits the element types is another question."""
    return [body for body in entry.bodies if all(_fits(entry, case, axis, value) for axis, value in body.variant)]


def refused_types(body: BodyEntry, case: Case) -> str:
    """The types of a case that the body's operators do not take, as text; empty when they take them all."""
    admits = dict(body.admits)
    return ", ".join(
        f"{variable}={kind}" for variable, kind in case.bindings.items() if kind not in admits.get(variable, (kind,))
    )


def _fits(entry: FunctionEntry, case: Case, axis: str, value: str) -> bool:
    """An axis is a type variable, an input (is it there?) or an attribute (its value, or is it there?)."""
    if axis in case.bindings:
        return case.bindings[axis] == value
    for index, declared in enumerate(entry.inputs):
        if declared.name == axis:
            present = index < len(case.inputs) and case.inputs[index] is not None
            return value == ("present" if present else "absent")
    for attribute in entry.attributes:
        if attribute.name == axis:
            given = case.attributes.get(axis, attribute.default)
            if given is None:
                return value == "absent"
            # An attribute without a default may also be asked for its presence alone.
            optional = attribute.default is None and not attribute.required
            return value == str(given) or (optional and value == "present")
    return False
