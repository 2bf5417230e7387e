"""A node as another version of its operator, if that computes the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from onnx import defs

from opwright.downlevel.form import Form
from opwright.link.propagate import Fact, Visit
from opwright.link.schema_types import formals, schema_at
from opwright.link.value_types import ABSENT
from opwright.opsets.domains import normal_domain
from opwright.opsets.signatures import history, signature
from opwright.opsets.steps import take_first_step_down, take_step_down, take_step_up


def form_at(
    visit: Visit, outputs: Sequence[Fact] | None, here: defs.OpSchema, goal: int, opset: int, read: Collection[str]
) -> tuple[Form, tuple[str, ...]]:
    """What the node would be at a version of its domain, and what speaks against it: no reasons mean that it computes
    the same.

    `here` is the version that it is of, `opset` the model's at the end. `outputs` are what is known of its outputs,
    None where that is to be judged later (`type_reasons`); `read` are the names of all values that something reads.
    """
    form = Form.of(visit, opset, read)
    reason = _step_by_step(form, here, goal)
    if reason:
        return form, (reason,)
    return form, tuple(type_reasons(form, outputs, here, form_schema(form, goal)))


def form_schema(form: Form, goal: int) -> defs.OpSchema:
    """The version of its operator that a form is of."""
    found = schema_at(form.operator, normal_domain(form.visit.node.domain), goal)
    assert found is not None
    return found


def _step_by_step(form: Form, here: defs.OpSchema, goal: int) -> str:
    """Takes the form over each version between the two; why it cannot be taken over one."""
    domain, version = normal_domain(here.domain), here.since_version
    if goal < version:
        return _steps_down(form, here, goal)
    while (following := _next(domain, form.operator, version, goal)) is not None:
        name, version = form.operator, following
        newer, older = signature(domain, name, following), signature(domain, name, following - 1)
        assert newer is not None and older is not None
        reason = take_step_up(form, older, newer, here.since_version)
        if reason:
            return f"version {following} of {name} came in between: {reason}"
    return ""


def _steps_down(form: Form, here: defs.OpSchema, goal: int) -> str:
    domain, name, version = normal_domain(here.domain), here.name, here.since_version
    while goal < version:
        newer, older = signature(domain, name, version), signature(domain, name, version - 1)
        assert newer is not None
        reason = take_first_step_down(form, newer) if older is None else take_step_down(form, newer, older)
        if reason:
            return f"version {version} of {name} is used: {reason}"
        if older is None:
            name = form.operator
            older = signature(domain, name, version - 1)
            assert older is not None
        version = older.since_version
    return ""


def _next(domain: str, name: str, version: int, goal: int) -> int | None:
    return min((item for item in history(domain, name) if version < item <= goal), default=None)


def type_reasons(
    form: Form, outputs: Sequence[Fact] | None, here: defs.OpSchema, there: defs.OpSchema
) -> Iterator[str]:
    """The element types that the other version does not take."""
    bound: dict[str, tuple[str, str]] = {}
    facts = [ABSENT if item == "" else fact for item, fact in zip(form.inputs_, form.facts, strict=False)]
    yield from _refused(facts, here, there, bound, is_input=True)
    if outputs is not None:
        names = form.visit.node.output
        left = [fact if name in form.outputs_ else ABSENT for name, fact in zip(names, outputs, strict=False)]
        yield from _refused(left, here, there, bound, is_input=False)


def _refused(
    facts: Sequence[Fact], here: defs.OpSchema, there: defs.OpSchema, bound: dict[str, tuple[str, str]], is_input: bool
) -> Iterator[str]:
    mine, theirs = (here.inputs, there.inputs) if is_input else (here.outputs, there.outputs)
    when = "before" if there.since_version < here.since_version else "since"
    for fact, formal, declared in zip(facts, formals(theirs), formals(mine), strict=False):
        if fact == ABSENT:
            continue
        allowed = _allowed(there, formal.type_str)
        if fact is None:
            if not _allowed(here, declared.type_str) <= allowed:
                yield f"the type of {formal.name} is not known, and fewer are allowed {when}"
        elif fact not in allowed:
            yield f"{formal.name} is {fact}, which is not allowed {when}"
        elif formal.is_homogeneous:
            other, first = bound.setdefault(formal.type_str, (fact, formal.name))
            if other != fact:
                yield f"{formal.name} is {fact} and {first} {other}, which have to be of one type {when}"


def _allowed(schema: defs.OpSchema, text: str) -> set[str]:
    for constraint in schema.type_constraints:
        if constraint.type_param_str == text:
            return set(constraint.allowed_type_strs)
    return {text}
