"""Conditions as C++: what a context-dependent builder asks of a call, and the text it adds for each answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from opwright.bundle.format import AttributeEntry
from opwright.elements import element
from opwright.lang.facts import ABSENT, PRESENT, value_of

from opwright_build.propose.body_conditions import Axis, AxisKind, Branch, Test, make_branches
from opwright_build.propose.body_text import body_text
from opwright_build.propose.cpp_text import attribute_value, raw_string, string
from opwright_build.propose.subject import BodySet, Proposal


@dataclass(frozen=True, slots=True)
class BuilderBranch:
    """`condition` is empty where the body serves every call; `text` is a literal of the nodes."""

    condition: str
    text: str


@dataclass(frozen=True, slots=True)
class Builder:
    """One builder function. `facts` are the lines that ask, `opsets` the imports to declare, as (domain, version).

    `version` is that of its own domain from which it serves, None where that is the schema's own.
    """

    name: str
    version: int | None
    facts: tuple[str, ...]
    branches: tuple[BuilderBranch, ...]
    opsets: tuple[tuple[str, int], ...]


def make_builder(proposal: Proposal, bodies: BodySet) -> Builder:
    """The builder of one set. Raises UnseenError and NoTextError."""
    texts = [body_text(variant.function) for variant in bodies.variants]
    branches = make_branches(proposal.entry, [variant.key for variant in bodies.variants], texts)
    axes = dict.fromkeys(test.axis for branch in branches for tests in branch.alternatives for test in tests)
    name = f"Build{proposal.entry.name}_{proposal.entry.since_version}_opset{bodies.opset}"
    imports = {item.domain: item.version for variant in bodies.variants for item in variant.function.opset_import}
    later = proposal.home.counts_opsets and bodies.opset != proposal.entry.since_version
    own = proposal.home.counts_opsets and not later and set(imports) == {""}
    valued = {axis for axis in axes if _needs_value(axis, branches)}
    return Builder(
        name,
        bodies.opset if later else None,
        tuple(line for axis in axes for line in _facts(axis, axis in valued)),
        tuple(BuilderBranch(_condition(branch), _literal(texts[branch.position])) for branch in branches),
        () if own else tuple(sorted(imports.items())),
    )


def _literal(text: str) -> str:
    return raw_string(f"\n{text}\n")


# --------------------------------------------------------------------------------------------------- facts


def _needs_value(axis: Axis, branches: Sequence[Branch]) -> bool:
    """Whether more is asked of an attribute than its presence."""
    tests = (test for branch in branches for tests in branch.alternatives for test in tests if test.axis == axis)
    return any(value not in (ABSENT, PRESENT) for test in tests for value in test.values)


def _facts(axis: Axis, with_value: bool) -> Iterator[str]:
    """The declarations that hold the answer to an axis."""
    name = _name(axis)
    if axis.attribute is not None:
        yield f"const AttributeProto* const {name} = ctx.getAttribute({string(axis.attribute.name)});"
        if with_value:
            yield from _attribute_facts(axis, axis.attribute)
        return
    if axis.kind is AxisKind.PRESENCE:
        yield f"const bool {name} = ctx.hasInput({axis.index});"
        return
    yield f"const TypeProto* const {name}_proto = ctx.getInputType({axis.index});"
    if axis.kind is AxisKind.TYPE:
        yield f"const int32_t {name} = {name}_proto != nullptr && {name}_proto->has_tensor_type()"
        yield f"    ? {name}_proto->tensor_type().elem_type()"
        yield "    : TensorProto::UNDEFINED;"
    else:
        yield f"const int {name} = {name}_proto != nullptr && {name}_proto->tensor_type().has_shape()"
        yield f"    ? {name}_proto->tensor_type().shape().dim_size()"
        yield "    : -1; // not known"


_READ = {"INT": ("int64_t", "i()"), "FLOAT": ("float", "f()"), "STRING": ("std::string", "s()")}
_LISTS = {"INTS": ("int64_t", "ints"), "FLOATS": ("float", "floats"), "STRINGS": ("std::string", "strings")}


def _attribute_facts(axis: Axis, attribute: AttributeEntry) -> Iterator[str]:
    name = _name(axis)
    if attribute.type in _READ:
        type_, read = _READ[attribute.type]
        read = f"{name}->{read}"
    else:
        inner, field = _LISTS[attribute.type]
        type_ = f"std::vector<{inner}>"
        read = f"{type_}({name}->{field}().begin(), {name}->{field}().end())"
    default = attribute_value(attribute.type, attribute.default) if attribute.default is not None else f"{type_}{{}}"
    yield f"const {type_} {name}_value = {name} != nullptr ? {read} : {default};"


def _name(axis: Axis) -> str:
    base = axis.name.partition(".")[0]
    match axis.kind:
        case AxisKind.TYPE:
            return f"attribute_{axis.attribute.name}" if axis.attribute is not None else f"type_{base}"
        case AxisKind.PRESENCE:
            return f"has_{base}"
        case AxisKind.RANK:
            return f"rank_{base}"
    return f"attribute_{base}"


# ---------------------------------------------------------------------------------------------- conditions


def _condition(branch: Branch) -> str:
    if any(not tests for tests in branch.alternatives):
        return ""
    texts = [" && ".join(_test(test) for test in tests) for tests in branch.alternatives]
    if len(texts) == 1:
        return texts[0]
    return " || ".join(f"({text})" for text in texts)


def _test(test: Test) -> str:
    axis, name = test.axis, _name(test.axis)
    if axis.kind is AxisKind.PRESENCE:
        wanted = PRESENT in test.values
        return name if wanted != test.negated else f"!{name}"
    if axis.kind is AxisKind.RANK:
        text = _one_of(name, test.values, test.negated)
        return f"{name} >= 0 && {text}" if test.negated else text
    if axis.kind is AxisKind.TYPE:
        if axis.attribute is not None:
            return _one_of(f"{name}_value", [str(element(kind).code) for kind in test.values], test.negated)
        return _one_of(name, [f"TensorProto::{kind.upper()}" for kind in test.values], test.negated)
    return _attribute_test(axis, test)


def _attribute_test(axis: Axis, test: Test) -> str:
    attribute, name = axis.attribute, _name(axis)
    assert attribute is not None
    texts = []
    literals = [value for value in test.values if value not in (ABSENT, PRESENT)]
    if ABSENT in test.values:
        texts.append(f"{name} == nullptr")
    if PRESENT in test.values:
        texts.append(f"{name} != nullptr")
    for value in literals:
        known = value_of(value, attribute.type, attribute.is_bool)
        literal = string(known) if isinstance(known, str) else attribute_value(attribute.type, known)
        text = f"{name}_value == {literal}"
        texts.append(text if attribute.default is not None else f"({name} != nullptr && {text})")
    return texts[0] if len(texts) == 1 else f"({' || '.join(texts)})"


def _one_of(name: str, values: Sequence[str] | Iterable[str], negated: bool) -> str:
    if negated:
        return " && ".join(f"{name} != {value}" for value in values)
    texts = [f"{name} == {value}" for value in values]
    return texts[0] if len(texts) == 1 else f"({' || '.join(texts)})"
