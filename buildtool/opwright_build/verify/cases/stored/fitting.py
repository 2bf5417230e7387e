"""A stored vector under the interface of a version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from opwright.bundle.format import FunctionEntry, InputEntry, OutputEntry

from opwright_build.spec.model import SpecVersion
from opwright_build.verify.case_model import Answer, Case, Expected, RandomJudge, Value
from opwright_build.verify.cases.bindings import Unbound, bind
from opwright_build.verify.cases.making import tolerance_judge, with_digest
from opwright_build.verify.cases.operator_calls import under_operator
from opwright_build.verify.cases.row_attributes import WrongAttribute, attribute_from_row
from opwright_build.verify.cases.stored.stored_rows import Named, StoredVector
from opwright_build.verify.items import answer_of, type_of

_PRECISIONS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_NEAR = 64  # units in the last place
_TINY = 1e-30


def fits_version(vector: StoredVector, version: SpecVersion) -> bool:
    """Whether the vector is for that version, as far as it says."""
    if vector.versions is not None and version.since_version not in vector.versions:
        return False
    return not vector.version or version.since_version <= vector.version


def stored_case(vector: StoredVector, version: SpecVersion, entry: FunctionEntry) -> Case:
    """The case, judged by the spec's tolerances. Raises Unbound, with the reason, where it does not fit."""
    if vector.operator and vector.operator != entry.name:
        raise Unbound(f"it is a call of {vector.operator}")
    if vector.call is not None:
        vector = under_operator(vector, entry)
    inputs = _arranged(vector.inputs, entry.inputs, "input")
    outputs = list(_arranged(vector.outputs, entry.outputs, "output"))
    while outputs and outputs[-1] is None:
        outputs.pop()
    bindings = bind(entry, _types(inputs), _types(outputs))
    return with_digest(
        Case(
            identity=entry.identity,
            name=vector.name,
            bindings=bindings,
            inputs=inputs,
            attributes=_attributes(vector, entry),
            expected=tuple(_answer(vector, number, value) for number, value in enumerate(outputs)),
            judge=RandomJudge() if vector.random else tolerance_judge(version, entry, bindings, vector.scale),
            place=vector.place,
            digest="",
        )
    )


def _answer(vector: StoredVector, number: int, value: Value | None) -> Answer | None:
    """An output, with what it rounds where that is known. A value that is far from it was meant so: a step at which the
    narrow type and the wide one fall to different sides, or a number that the narrow one does not hold."""
    if value is None:
        return None
    answer = answer_of(value)
    exact = vector.exact[number] if number < len(vector.exact) else None
    if not isinstance(answer, Expected) or not isinstance(exact, np.ndarray) or exact.shape != answer.array.shape:
        return answer
    wide = answer.array.astype(np.float64)
    spacing = np.ldexp(np.abs(wide), -_PRECISIONS.get(answer.array.dtype.name, 24)) + _TINY
    with np.errstate(invalid="ignore"):
        near = np.abs(exact - wide) <= _NEAR * spacing
    return Expected(answer.array, np.where(near, exact, wide))


def _arranged(
    given: Named | tuple[Value | None, ...], formals: Sequence[InputEntry] | Sequence[OutputEntry], what: str
) -> tuple[Value | None, ...]:
    if isinstance(given, tuple):
        return given + (None,) * (sum(not item.variadic for item in formals) - len(given))
    known = {item.name: item for item in formals}
    for name, values in given.items():
        if name not in known:
            raise Unbound(f"this version has no {what} {name}")
        if len(values) != 1 and not known[name].variadic:
            raise Unbound(f"the {what} {name} is not variadic")
    return tuple(value for item in formals for value in given.get(item.name, () if item.variadic else (None,)))


def _attributes(vector: StoredVector, entry: FunctionEntry) -> Mapping[str, Any]:
    known = {attribute.name: attribute for attribute in entry.attributes}
    found: dict[str, Any] = {}
    for name, value in vector.attributes.items():
        if name not in known:
            raise Unbound(f"this version has no attribute {name}")
        try:
            found[name] = value if vector.checked else attribute_from_row(known[name], value)
        except WrongAttribute as error:
            raise Unbound(f"the attribute {name} {error}") from None
    for attribute in entry.attributes:
        if attribute.required and attribute.name not in found:
            raise Unbound(f"it leaves out the attribute {attribute.name}, which is required")
    return found


def _types(values: Sequence[Value | None]) -> list[str | None]:
    return [None if value is None else type_of(value) for value in values]
