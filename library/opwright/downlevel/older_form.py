"""A node as an older version of its operator, if it uses nothing that the older version lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx import defs

from opwright.downlevel.form import Form
from opwright.link.propagate import Fact, Visit
from opwright.link.schema_types import formals
from opwright.link.value_types import ABSENT
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import history, signature
from opwright.opsets.steps import take_step_down


def older_form(
    visit: Visit, outputs: Sequence[Fact] | None, newer: defs.OpSchema, older: defs.OpSchema
) -> tuple[Form, tuple[str, ...]]:
    """What the node would be, and what speaks against it: no reasons mean that it computes the same.

    `outputs` are what is known of its outputs, None where that is to be judged later (`type_reasons`).
    """
    form = Form.of(visit)
    domain = normal_domain(newer.domain)
    for version in reversed(history(domain, newer.name)):
        if not older.since_version < version <= newer.since_version:
            continue
        after, before = signature(domain, newer.name, version), signature(domain, newer.name, version - 1)
        if after is None or before is None:
            return form, (f"version {version} of {newer.name} is used: an older version is not known",)
        reason = take_step_down(form, after, before)
        if reason:
            return form, (f"version {version} of {newer.name} is used: {reason}",)
    return form, tuple(type_reasons(form, outputs, newer, older))


def type_reasons(
    form: Form, outputs: Sequence[Fact] | None, newer: defs.OpSchema, older: defs.OpSchema
) -> Iterator[str]:
    """The element types that the older version does not take."""
    bound: dict[str, tuple[str, str]] = {}
    facts = [fact if name else ABSENT for name, fact in zip(form.names, form.visit.inputs, strict=False)]
    yield from _refused(facts, newer, older, bound, is_input=True)
    if outputs is not None:
        yield from _refused(outputs, newer, older, bound, is_input=False)


def _refused(
    facts: Sequence[Fact], newer: defs.OpSchema, older: defs.OpSchema, bound: dict[str, tuple[str, str]], is_input: bool
) -> Iterator[str]:
    olds, news = (older.inputs, newer.inputs) if is_input else (older.outputs, newer.outputs)
    for fact, formal, latest in zip(facts, formals(olds), formals(news), strict=False):
        if fact == ABSENT:
            continue
        allowed = _allowed(older, formal.type_str)
        if fact is None:
            if not _allowed(newer, latest.type_str) <= allowed:
                yield f"the type of {formal.name} is not known, and fewer were allowed before"
        elif fact not in allowed:
            yield f"{formal.name} is {fact}, which was not allowed before"
        elif formal.is_homogeneous:
            other, first = bound.setdefault(formal.type_str, (fact, formal.name))
            if other != fact:
                yield f"{formal.name} is {fact} and {first} {other}, which had to be of one type before"


def _allowed(schema: defs.OpSchema, text: str) -> set[str]:
    for constraint in schema.type_constraints:
        if constraint.type_param_str == text:
            return set(constraint.allowed_type_strs)
    return {text}
