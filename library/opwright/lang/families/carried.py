"""A family, or an instance of a template, at another opset of ai.onnx without lowering its function again: where each
answer that the lowering was given there is one that leads to the same function here.

What a lowering is told of an opset it is told by `Lowering`, which notes it in a `LookedUp`. An operator may be of
another version if nothing that was asked of it tells the two apart: the versions have the same inputs, outputs and
attributes (a new attribute with a default is written nowhere but in canonical bodies), they treat alike all element
types of which the operator was asked, and what holds tensors, sequences say, where it was asked of such, type variables
that no function declares admit the same wherever that counts (see `Narrowing`), and no step between them means another
thing where the source names the operator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache

from opwright.bundle.format import BodyEntry
from opwright.elements import BY_NAME
from opwright.lang import ir
from opwright.lang.families.family import Family, Variant
from opwright.lang.families.instances import TemplateInstance
from opwright.lang.looked_up import LookedUp, OperatorName, answer_at, bodies_at, is_template_at
from opwright.lang.lower.function import Lowered
from opwright.lang.schema_reads import Narrowing
from opwright.opsets.signatures import AttributeSpec, Formal, Signature, history, operators_at, signature

Digests = Mapping[str, str]


def carried(family: Family, opset: int) -> Family | None:
    """The family of the opset before at that one; None where the function has to be lowered for it. The same one where
    nothing that it depends on differs."""
    before = family.looked_up
    names, questions = before.kinds
    changing = names & _changed_at(opset)
    if not changing and not questions and not before.called:
        return family
    digests = _digests_at(family, opset) if before.called else {}
    if digests is None or any(
        answer_at(question, opset, before[question]) != before[question] for question in questions
    ):
        return None
    if changing and not all(_admits_alike(item, opset, changing) for item in before.reads.decisive.values()):
        return None
    looked_up = LookedUp.like(before)
    changed: list[str] = []  # the operators that have another version, as they are called here
    for name in changing:
        key = OperatorName("", name)
        old, new = before[key], answer_at(key, opset, None)
        looked_up[key] = new
        if old is None or new is None or not _is_alike(before, name, old, new):
            return None
        changed.append(f"ai.onnx::{name}@{old}")
    if not changed and all(before == now for before, now in digests.items()):
        return family
    if not _is_portable(family, changed):
        return None
    variants = tuple(Variant(item.key, _at_opset(item.lowered, opset, digests)) for item in family.variants)
    return Family(opset, variants, (), looked_up, family.diagnostics, family.open_axes, family.asked)


def carried_instance(made: TemplateInstance, opset: int) -> TemplateInstance | None:
    """What a template was made into for a call at the opset before, at that one likewise. Graphs of the call are to be
    written for the opset that they are lowered at: of each operator in them the very version is noted."""
    function = made.lowered.function
    if function is None:
        return None
    before = Family(function.opset, (Variant(made.key, made.lowered),), (), made.looked_up, made.lowered.diagnostics)
    found = carried(before, opset)
    if found is None or found is before:
        return None if found is None else made
    return replace(made, lowered=found.variants[0].lowered, looked_up=found.looked_up)


def _is_alike(found: LookedUp, name: str, before: int, now: int) -> bool:
    """Whether those two versions of an operator answer all that was asked of it alike."""
    elements, written = found.reads.elements.get(name, 0), found.written.get(name, 0)
    holders = name in found.reads.holders
    if name in found.reads.versions or not _alike(name, before, now, elements, holders, written):
        return False
    judges = (judge for (asked, _), judge in found.reads.verdicts.items() if asked == name)
    return all(judge(before) == judge(now) for judge in judges)


def _admits_alike(found: Narrowing, opset: int, changing: frozenset[str]) -> bool:
    """Whether a variable that asked those operators admits the same at that opset."""
    asked = {constraint.signature.name for constraint in found.asked}
    return asked.isdisjoint(changing) or found.mask_at(opset) == found.mask


def _is_portable(family: Family, changed: list[str]) -> bool:
    """Whether nothing is said of the family that names the opset, or the version of an operator: what is said of a
    template, of which no variant is kept, names neither."""
    if family.open_axes:
        return True
    if family.diagnostics or family.refused or not family.variants:
        return False
    narrowing = {operator for variant in family.variants for operator in _narrowing(variant)}
    return narrowing.isdisjoint(changed)


def _narrowing(variant: Variant) -> Iterator[str]:
    """The operators that do not take some of the declared element types."""
    function = variant.lowered.function
    for variable in function.variables.values() if function is not None else ():
        if isinstance(variable, ir.TypeVariable):
            yield from (operator for _, operator in variable.narrowed_by)


def _at_opset(lowered: Lowered, opset: int, digests: Digests) -> Lowered:
    function = None if lowered.function is None else lowered.function.at_opset(opset)
    calls = tuple(call.with_digest(digests[call.digest]) for call in lowered.calls) if lowered.calls else ()
    return replace(lowered, function=function, calls=calls)


# -------------------------------------------------------------------------------------------------- callees


def _digests_at(family: Family, opset: int) -> Digests | None:
    """For each body of a function that is called the one at that opset; None where those are others in more than what
    the functions compute."""
    before = family.opset
    found: dict[str, str] = {}
    for entry in family.looked_up.called.values():
        if is_template_at(entry, before) or is_template_at(entry, opset):
            return None
        there, here = bodies_at(entry, before), bodies_at(entry, opset)
        if len(there) != len(here) or any(
            _interface(one) != _interface(other) for one, other in zip(there, here, strict=True)
        ):
            return None
        for one, other in zip(there, here, strict=True):
            if found.setdefault(one.body, other.body) != other.body:
                return None
    return found if len(set(found.values())) == len(found) else None  # which bodies are one is looked at as well


def _interface(body: BodyEntry) -> tuple[object, ...]:
    """All that callers see of a body."""
    return (body.variant, body.inputs, body.attributes, body.admits, body.outputs)


# ------------------------------------------------------------------------------------------------ operators


@lru_cache(maxsize=1 << 14)
def _alike(name: str, before: int, now: int, elements: int, holders: bool, written: int) -> bool:
    """Whether two versions of an operator of ai.onnx are alike for a function that asked of those element types, and
    with `holders` of what holds tensors. `written`: the newest opset for which the source itself names the operator,
    0 where it does not."""
    older, newer = signature("", name, before), signature("", name, now)
    if older is None or newer is None or before > now:
        return False
    if written and any(
        _means_another_thing(newer, version, before, written) for version in _between(name, before, now)
    ):
        return False
    alike = _shape(older) == _shape(newer) and _same_attributes(older, newer)
    return alike and _same_types(older, newer, elements, holders)


@cache
def _changed_at(opset: int) -> frozenset[str]:
    """The operators of ai.onnx that are not at that opset what they were at the one before."""
    names = {*operators_at("", opset), *operators_at("", opset - 1)}
    return frozenset(name for name in names if signature("", name, opset) is not signature("", name, opset - 1))


def _between(name: str, before: int, now: int) -> Iterator[int]:
    return (version for version in history("", name) if before < version <= now)


def _means_another_thing(found: Signature, version: int, before: int, written: int) -> bool:
    """Whether a call may have to be another one since that version, by more than the schemas (see `opsets/steps.py`).
    `before`: the version that is left, `written`: the opset that the call is written for."""
    if version not in found.record.reviewed:
        return True
    step = found.record.steps.get(version)
    if step is None:
        return False
    meant = signature("", found.name, max(written, history("", found.name)[0]))
    is_upwards = meant is not None and meant.since_version <= before
    return not is_upwards or (step.up is not None and written >= step.up_since)


def _shape(found: Signature) -> tuple[object, ...]:
    counts = (found.min_inputs, found.max_inputs, found.min_outputs, found.max_outputs)
    # Type variables by their order: what one is called is nothing that a function can depend on.
    variables = {name: str(number) for number, name in enumerate(found.admitted)}
    formals = tuple(_formal(item, variables) for item in (*found.inputs, *found.outputs))
    return found.deprecated, found.deterministic, counts, len(found.inputs), formals, len(variables)


def _formal(found: Formal, variables: Mapping[str, str]) -> tuple[object, ...]:
    return found.name, variables.get(found.type, found.type), found.option, found.homogeneous, found.min_arity


def _same_attributes(older: Signature, newer: Signature) -> bool:
    """Whether the newer version has each attribute of the older one, and others that may be left out."""
    if any(_attribute(spec) != _attribute(newer.attributes.get(name)) for name, spec in older.attributes.items()):
        return False
    added = [spec for name, spec in newer.attributes.items() if name not in older.attributes]
    inputs = {formal.name for formal in newer.inputs}
    return not any(spec.required or spec.name in inputs or spec.kind in ("GRAPH", "GRAPHS") for spec in added)


def _attribute(spec: AttributeSpec | None) -> tuple[object, ...]:
    # (The text tells apart what `==` does not: 0 and 0.0, 0.0 and -0.0.)
    return () if spec is None else (spec.kind, spec.required, repr(spec.default))


def _same_types(older: Signature, newer: Signature, elements: int, holders: bool) -> bool:
    """Whether both admit the same among those element types, and the same kinds of types: with `holders` of all, else
    of tensors, where the older one takes some at each place."""
    for before, now in zip(older.admitted.values(), newer.admitted.values(), strict=True):
        if before == now:
            continue
        if len(before) == 1 or len(now) == 1:  # then a result has that type, and so does a number
            return False
        if not holders and _kinds(before) >= {"tensor"} <= _kinds(now):
            before, now = _tensors(before), _tensors(now)
        if _of_elements(before, elements) != _of_elements(now, elements) or _kinds(before) != _kinds(now):
            return False
    return True


_TENSOR = re.compile(r"tensor\((\w+)\)")


def _of_elements(types: tuple[str, ...], elements: int) -> list[str]:
    """The types whose element types are among those, and all that have none."""
    found = []
    for text in types:
        match = _TENSOR.search(text)
        element = None if match is None else BY_NAME.get(match[1])
        if element is None or element.mask & elements:
            found.append(text)
    return found


def _tensors(types: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for text in types if _TENSOR.fullmatch(text))


def _kinds(types: tuple[str, ...]) -> set[str]:
    return {_TENSOR.sub("tensor", text) for text in types}
