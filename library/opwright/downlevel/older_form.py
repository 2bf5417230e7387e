"""A node as an older version of its operator, if it uses nothing that the older version lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx import AttributeProto, defs

from opwright.downlevel.form import Form, plain_value
from opwright.downlevel.steps import CHANGED, RULES, is_reviewed
from opwright.link.propagate import Fact, Visit
from opwright.link.schema_types import formals, schema_at
from opwright.link.value_types import ABSENT
from opwright.link.walk import normal_domain

_SINGLE = defs.OpSchema.FormalParameterOption.Single
_VARIADIC = defs.OpSchema.FormalParameterOption.Variadic


def older_form(
    visit: Visit, outputs: Sequence[Fact] | None, newer: defs.OpSchema, older: defs.OpSchema
) -> tuple[Form, tuple[str, ...]]:
    """What the node would be, and what speaks against it: no reasons mean that it computes the same.

    `outputs` are what is known of its outputs, None where that is to be judged later (`type_reasons`).
    """
    form = Form.of(visit)
    schema = newer
    while schema.since_version > older.since_version:
        before = schema_at(newer.name, newer.domain, schema.since_version - 1)
        reason = _take_step(form, schema, before) if before is not None else "an older version is not known"
        if before is None or reason:
            return form, (f"version {schema.since_version} of {newer.name} is used: {reason}",)
        schema = before
    return form, tuple(type_reasons(form, outputs, newer, older))


def _take_step(form: Form, newer: defs.OpSchema, older: defs.OpSchema) -> str:
    """Makes the form one of the version before; what it uses of the newer version where it cannot."""
    domain, name, version = normal_domain(newer.domain), newer.name, newer.since_version
    if not is_reviewed(domain, name, version):
        return CHANGED.get((name, version), "what that version changed is not known to Opwright")
    rule = RULES.get((name, version)) if domain == "" else None
    reason = rule(form) if rule is not None else ""
    return reason or _arity_reason(form, older) or _attribute_reason(form, newer, older)


def _arity_reason(form: Form, older: defs.OpSchema) -> str:
    variadic = bool(older.inputs) and older.inputs[-1].option == _VARIADIC
    if not variadic:
        surplus = [index for index in range(len(older.inputs), len(form.inputs)) if form.inputs[index]]
        if surplus:
            return f"it has {surplus[-1] + 1} inputs, of at most {len(older.inputs)} before"
        if len(form.inputs) > len(older.inputs):
            form.drop_inputs(len(older.inputs))
    for index, formal in enumerate(older.inputs):
        if formal.option == _SINGLE and not form.has_input(index):
            return f"the input {formal.name} is left out, and was required before"
    if (not older.outputs or older.outputs[-1].option != _VARIADIC) and len(form.visit.node.output) > len(
        older.outputs
    ):
        return f"it has {len(form.visit.node.output)} outputs, of at most {len(older.outputs)} before"
    return ""


def _attribute_reason(form: Form, newer: defs.OpSchema, older: defs.OpSchema) -> str:
    for name in list(form.attributes):
        declared = older.attributes.get(name)
        if declared is not None:
            latest = newer.attributes.get(name)
            if latest is not None and latest.type != declared.type:
                return f"its attribute {name} is of another type than before"
            continue
        default = _default(newer, name)
        if default is None or form.value(name) != default:
            return f"its attribute {name} is set"
        form.drop(name)
    for name, declared in older.attributes.items():
        if name not in form.attributes and _default(newer, name) != _default(older, name):
            if name in newer.attributes:
                return f"the default of its attribute {name} was another one"
            if declared.required:
                return f"its attribute {name} is not given, and was required before"
    return ""


def _default(schema: defs.OpSchema, name: str) -> object:
    declared = schema.attributes.get(name)
    if declared is None or declared.default_value.type == AttributeProto.UNDEFINED:
        return None
    return plain_value(declared.default_value)


def type_reasons(
    form: Form, outputs: Sequence[Fact] | None, newer: defs.OpSchema, older: defs.OpSchema
) -> Iterator[str]:
    """The element types that the older version does not take."""
    bound: dict[str, tuple[str, str]] = {}
    facts = [fact if name else ABSENT for name, fact in zip(form.inputs, form.visit.inputs, strict=False)]
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
