"""The one comparison of two states of a library. Lock, findings of a build, diff and release all stand on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from opwright.bundle.call_interface import ANY, split_type
from opwright.bundle.format import AttributeEntry, BodyEntry, FunctionEntry, InputEntry, OutputEntry
from opwright.lang.facts import ABSENT, PRESENT, RANK, declared_values, fact_of

from opwright_build.versions.change import Change, Kind
from opwright_build.versions.operator_changes import operator_changes
from opwright_build.versions.promise import TEMPLATE, Promise, Promised, Terms
from opwright_build.versions.served_calls import Variant, common_opsets, of_its_own, part_without
from opwright_build.versions.shape_changes import shape_changes


def compare(old: Promised, new: Promised) -> list[Change]:
    """Every change from one state to the other: those of the library first, then by (domain, name, since_version).

    A body that differs is a change of kind BODY: what it computes is found out by running it (`numeric`).
    """
    changes = list(_library(old, new))
    known, left = _versions(old), _versions(new)
    keys = {promise.key: promise.identity for promise in (*old.promises.values(), *new.promises.values())}
    for (domain, name, _), identity in sorted(keys.items()):
        before, after = old.promises.get(identity), new.promises.get(identity)
        if after is None:
            if domain in new.elsewhere:
                continue  # which is told of the domain
            changes.append(_gone(old.promises[identity], left.get((domain, name), ())))
        elif before is None:
            changes.append(_added(after, sorted(known.get((domain, name), ())), old.versions.get(domain, 0)))
        else:
            emitted = old.emitted.get(domain, domain), new.emitted.get(domain, domain)
            if emitted[0] != emitted[1]:
                changes.append(Change(identity, Kind.EMITTED, "", *emitted))
            changes += compare_versions(before, after)
    return changes


def _versions(state: Promised) -> dict[tuple[str, str], list[int]]:
    """The versions of each function, by its domain and name."""
    found: dict[tuple[str, str], list[int]] = {}
    for promise in state.promises.values():
        found.setdefault(promise.key[:2], []).append(promise.entry.since_version)
    return found


def _gone(promise: Promise, left: Sequence[int]) -> Change:
    """A version that the new state lacks, where `left` are those of the function. What names it gets the newest one
    below it, and is refused where there is none."""
    _, name, since = promise.key
    served = max((number for number in left if number < since), default=0)
    if served:
        return Change(promise.identity, Kind.VERSION_GONE, after=f"{name}@{served}")
    return Change(promise.identity, Kind.FUNCTION_GONE)


def _added(promise: Promise, known: Sequence[int], newest: int) -> Change:
    """A version that the old state lacks. `known` are the versions of the function there, `newest` is that of the
    domain: a model that imports it gets the newest version of each function up to that number."""
    identity, (_, name, since) = promise.identity, promise.key
    served = max((number for number in known if number < since), default=0)
    if served and since <= newest:
        return Change(identity, Kind.VERSION_BELOW, "", f"{name}@{served}", str(newest))
    kind = Kind.VERSION_ADDED if known else Kind.FUNCTION_ADDED
    return Change(identity, kind, before=", ".join(f"{name}@{number}" for number in known))


def _library(old: Promised, new: Promised) -> Iterator[Change]:
    if old.library and old.library != new.library:
        yield Change("", Kind.LIBRARY, "", old.library, new.library)
    if old.package and old.package != new.package:
        yield Change("", Kind.PACKAGE, "", old.package, new.package)
    if old.terms is not None and new.terms is not None:
        yield from _terms(old.terms, new.terms)
    before, after = old.domains, new.domains
    for domain in before:
        if domain in new.elsewhere:
            yield Change("", Kind.DOMAIN_MOVED, domain, old.library, new.elsewhere[domain])
    for domain in after:
        if domain in old.elsewhere:
            yield Change("", Kind.DOMAIN_TAKEN, domain, old.elsewhere[domain])
    if before and after and before[0] != after[0]:
        yield Change("", Kind.FIRST_DOMAIN, after[0], before[0])
    for domain, version in sorted(old.versions.items()):
        now = new.versions.get(domain, version)
        if now < version:
            yield Change("", Kind.DOMAIN_LOWERED, domain, str(version), str(now))


def _terms(old: Terms, new: Terms) -> Iterator[Change]:
    if old.license != new.license:
        yield Change("", Kind.LICENSE, "", old.license or "none", new.license or "none")
    needed, needs = ("; ".join(" ".join(filter(None, item)) for item in terms.requires) for terms in (old, new))
    if needed != needs:
        yield Change("", Kind.REQUIRES, "", needed, needs)


def compare_versions(old: Promise, new: Promise) -> list[Change]:
    """The changes of one version."""
    if old.entry == new.entry:
        return []
    comparison = _Versions(old, new)
    return [
        *comparison.inputs(),
        *comparison.outputs(),
        *comparison.shapes(),
        *comparison.attributes(),
        *comparison.types(),
        *comparison.opsets(),
        *comparison.operator(),
        *comparison.marks(),
        *comparison.bodies(),
    ]


@dataclass(frozen=True, slots=True)
class BodyPair:
    """Two bodies that serve the same calls at these opsets (both ends included), and are not the same."""

    first: int
    last: int
    old: BodyEntry
    new: BodyEntry


def differing_bodies(old: Promise, new: Promise) -> list[BodyPair]:
    """The pairs of bodies that answer the same calls, and differ; instances of templates are bodies like others."""
    found: list[BodyPair] = []
    before, after = _Callers(old.entry, new.entry), _Callers(new.entry, old.entry)
    lefts = [(body, before.meaning(body)) for body in old.entry.bodies if before.are_served(body.variant)]
    rights = [(body, after.meaning(body)) for body in new.entry.bodies if after.are_served(body.variant)]
    all_before, all_after = old.entry.bodies, new.entry.bodies
    for left, meaning in lefts:
        for right, other in rights:
            opsets = common_opsets(left, all_before, right, all_after) if meaning != other else range(0)
            if opsets:
                found.append(BodyPair(opsets[0], opsets[-1], left, right))
    return found


def has_other_template(old: Promise, new: Promise) -> bool:
    """Whether calls get bodies of another template at some opset that both serve, or of one where there was none, or
    the reverse: then vectors tell of their own calls alone."""
    common = sorted(old.opsets & new.opsets)
    return any(old.served(opset).get(TEMPLATE) != new.served(opset).get(TEMPLATE) for opset in common)


class _Callers:
    """The calls of one interface that the other one has as well."""

    def __init__(self, entry: FunctionEntry, other: FunctionEntry) -> None:
        self._inputs = {item.name: str(index) for index, item in enumerate(entry.inputs)}
        names, attributes = {item.name for item in other.inputs}, {item.name for item in other.attributes}
        self._facts: dict[str, str] = {}  # what all calls of the other one have on an axis
        self._valued: set[str] = set()  # attributes that have a value in all of them
        for item in entry.inputs:
            if item.name not in names:
                self._facts[item.name] = ABSENT
        for attribute in entry.attributes:
            if attribute.name not in attributes:
                self._facts[attribute.name] = ABSENT if attribute.default is None else fact_of(attribute.default)
        self.few: dict[str, Sequence[str]] = {}  # the values of axes of which calls of the other one have few
        for item in other.inputs:
            if not item.variadic:
                self.few[item.name] = (ABSENT, PRESENT) if item.optional else (PRESENT,)
                self._facts |= {} if item.optional else {item.name: PRESENT}
        for attribute in other.attributes:
            always = attribute.required or attribute.default is not None
            values = declared_values(attribute.choices, attribute.is_bool)
            if values:
                self.few[attribute.name] = values if always else (ABSENT, *values)
            self._valued |= {attribute.name} if always else set()

    def meaning(self, body: BodyEntry) -> tuple[object, ...]:
        """The body as callers see it, whatever its parameters are called."""
        return body.body, tuple(self._inputs.get(name, name) for name in body.inputs), body.attributes

    def with_known(self, variant: Variant) -> Variant:
        """The variant with what all calls of the other interface have besides."""
        return tuple({**dict.fromkeys(sorted(self._valued), PRESENT), **self._facts, **dict(variant)}.items())

    def are_served(self, variant: Variant) -> bool:
        return all(self._facts.get(axis, value) == value for axis, value in variant)


def _renamed(variant: Variant, names: Mapping[str, str]) -> Variant:
    """With inputs as they are called in the other state."""
    parts = ((axis.removesuffix(RANK), axis) for axis, _ in variant)
    found = [names.get(name, name) + axis[len(name) :] for name, axis in parts]
    return tuple((axis, value) for axis, (_, value) in zip(found, variant, strict=True))


def _text(part: Variant, variant: Variant) -> str:
    """What a part of a variant is, without what all calls have."""
    told = dict(variant)
    lost = {axis: value for axis, value in part if axis in told or value not in (PRESENT, ABSENT) or len(part) == 1}
    return ", ".join(f"{axis}={value}" for axis, value in lost.items())


class _Versions:
    def __init__(self, old: Promise, new: Promise) -> None:
        self._old, self._new = old, new
        self._before, self._after = old.entry, new.entry
        self._identity = new.identity
        # The parameters that correspond, whatever they are called.
        self._inputs = _paired(self._before.inputs, self._after.inputs)
        self._outputs = _paired(self._before.outputs, self._after.outputs)

    def _change(self, kind: Kind, what: str = "", before: str = "", after: str = "") -> Change:
        return Change(self._identity, kind, what, before, after)

    # ------------------------------------------------------------------------------------------- parameters

    def inputs(self) -> Iterator[Change]:
        for left, right in self._inputs:
            if left is None and right is not None:
                optional = right.optional or right.variadic
                last = self._after.inputs.index(right) >= len(self._before.inputs)
                kind = Kind.INPUT_ADDED_OPTIONAL if optional and last else Kind.INPUT_ADDED
                yield self._change(kind, right.name)
            elif right is None and left is not None:
                yield self._change(Kind.INPUT_GONE, left.name)
            elif left is not None and right is not None:
                yield from self._input(left, right)

    def _input(self, left: InputEntry, right: InputEntry) -> Iterator[Change]:
        if left.name != right.name:
            yield self._change(Kind.INPUT_NAME, right.name, left.name, right.name)
        places = self._before.inputs.index(left), self._after.inputs.index(right)
        if places[0] != places[1]:
            yield self._change(Kind.INPUT_MOVED, right.name, *(_ordinal(place) for place in places))
        if left.variadic != right.variadic:
            yield self._change(Kind.INPUT_VARIADIC if right.variadic else Kind.INPUT_SINGLE, right.name)
        elif left.optional != right.optional:
            yield self._change(Kind.INPUT_OPTIONAL if right.optional else Kind.INPUT_REQUIRED, right.name)

    def outputs(self) -> Iterator[Change]:
        for left, right in self._outputs:
            if left is None and right is not None:
                yield self._change(Kind.OUTPUT_ADDED, right.name)
            elif right is None and left is not None:
                yield self._change(Kind.OUTPUT_GONE, left.name)
            elif left is not None and right is not None:
                if left.name != right.name:
                    yield self._change(Kind.OUTPUT_NAME, right.name, left.name, right.name)
                places = self._before.outputs.index(left), self._after.outputs.index(right)
                if places[0] != places[1]:
                    yield self._change(Kind.OUTPUT_MOVED, right.name, *(_ordinal(place) for place in places))
                if left.variadic != right.variadic:
                    words = ("a single one", "variadic")
                    yield self._change(Kind.OUTPUT_COUNT, right.name, words[left.variadic], words[right.variadic])

    def shapes(self) -> Iterator[Change]:
        for item in shape_changes(self._inputs, self._outputs):
            yield self._change(item.kind, item.what, item.before, item.after)

    def attributes(self) -> Iterator[Change]:
        before = {item.name: item for item in self._before.attributes}
        after = {item.name: item for item in self._after.attributes}
        for name in before:
            if name not in after:
                yield self._change(Kind.ATTRIBUTE_GONE, name)
        for name, right in after.items():
            if name not in before:
                kind = Kind.ATTRIBUTE_ADDED if right.required else Kind.ATTRIBUTE_ADDED_OPTIONAL
                yield self._change(kind, name, after=_presence(right))
            else:
                yield from self._attribute(before[name], right)
        orders = [name for name in before if name in after], [name for name in after if name in before]
        if orders[0] != orders[1]:
            yield self._change(Kind.ATTRIBUTE_MOVED, orders[1][0], *(", ".join(order) for order in orders))

    def _attribute(self, left: AttributeEntry, right: AttributeEntry) -> Iterator[Change]:
        name = right.name
        if left.type != right.type:
            yield self._change(Kind.ATTRIBUTE_TYPE, name, left.type, right.type)
            return
        if left.is_bool != right.is_bool:
            yield self._change(Kind.ATTRIBUTE_BOOL, name, *(_truth(item) for item in (left, right)))
        if left.required != right.required:
            if right.required:
                yield self._change(Kind.ATTRIBUTE_REQUIRED, name, before=_presence(left))
            else:
                yield self._change(Kind.ATTRIBUTE_OPTIONAL, name, after=_presence(right))
        elif _value(left) != _value(right):
            yield self._change(Kind.DEFAULT, name, _value(left), _value(right))
        allowed, allowed_now = set(map(repr, left.choices)), set(map(repr, right.choices))
        if allowed != allowed_now:
            gone = allowed - allowed_now if allowed else {f"what is none of {', '.join(sorted(allowed_now))}"}
            new = allowed_now - allowed if allowed_now else {"any value"}
            if allowed_now and gone:
                yield self._change(Kind.CHOICE_GONE, name, after=", ".join(sorted(gone)))
            if allowed and new:
                yield self._change(Kind.CHOICE_ADDED, name, after=", ".join(sorted(new)))

    # ------------------------------------------------------------------------------------------------ types

    def types(self) -> Iterator[Change]:
        values = [*self._typed(self._inputs, True), *self._typed(self._outputs, False)]
        renamed = self._variables(values)
        before, after = dict(self._before.types), dict(self._after.types)
        for old, new in renamed.items():
            if old != new:
                yield self._change(Kind.VARIABLE_NAME, new, old, new)
            yield from self._sets(f"`{new}`", frozenset(before[old]), frozenset(after[new]))
        rest = [item for item in values if renamed.get(item.old_inner) != item.new_inner]
        for item in rest:
            left, right = _admits(item.old_inner, before), _admits(item.new_inner, after)
            if not item.is_input:
                if item.old_wrap != item.new_wrap or left != right:
                    yield self._change(Kind.OUTPUT_TYPE, item.name, item.old, item.new)
            elif item.old_wrap != item.new_wrap:
                yield self._change(Kind.INPUT_TYPE, item.name, item.old, item.new)
            elif right is None and left is not None:
                yield self._change(Kind.TYPES_WIDENED, f"the input {item.name}", after="any type")
            elif left is None and right is not None:
                yield self._change(Kind.INPUT_TYPE, item.name, item.old, item.new)
            elif left is not None and right is not None:
                yield from self._sets(f"the input {item.name}", left, right)
        if rest:
            yield from self._ties(values, before, after)
        yield from self._at_opsets(renamed, before, after)

    def _typed(self, pairs: Iterable[tuple[_Value | None, _Value | None]], is_input: bool) -> Iterator[_Typed]:
        for left, right in pairs:
            if left is not None and right is not None:
                yield _Typed(right.name, is_input, left.type, right.type)

    def _variables(self, values: Sequence[_Typed]) -> dict[str, str]:
        """The type variables of before that are one of now, wherever they stand."""
        before, after = dict(self._before.types), dict(self._after.types)
        forward: dict[str, set[str]] = {}
        backward: dict[str, set[str]] = {}
        for item in values:
            forward.setdefault(item.old_inner, set()).add(item.new_inner)
            backward.setdefault(item.new_inner, set()).add(item.old_inner)
        found: dict[str, str] = {}
        for old, targets in forward.items():
            (new, *others) = sorted(targets)
            if old in before and new in after and not others and backward[new] == {old}:
                found[old] = new
        return found

    def _sets(self, what: str, left: frozenset[str], right: frozenset[str]) -> Iterator[Change]:
        if left - right:
            yield self._change(Kind.TYPES_NARROWED, what, after=", ".join(sorted(left - right)))
        if right - left:
            yield self._change(Kind.TYPES_WIDENED, what, after=", ".join(sorted(right - left)))

    def _ties(
        self, values: Sequence[_Typed], before: Mapping[str, tuple[str, ...]], after: Mapping[str, tuple[str, ...]]
    ) -> Iterator[Change]:
        """Values that have to be, or no longer have to be, of one type. A single type ties by itself."""
        single = {item.new_inner for item in values if len(after.get(item.new_inner, (item.new_inner,))) == 1}
        was_single = {item.old_inner for item in values if len(before.get(item.old_inner, (item.old_inner,))) == 1}
        for index, item in enumerate(values):
            was = [other for other in values[:index] if other.old_inner == item.old_inner]
            now = [other for other in values[:index] if other.new_inner == item.new_inner]
            kept = any(other in now for other in was)
            if now and not kept and not {item.new_inner, item.old_inner} & (single | was_single):
                yield self._change(Kind.TYPES_TIED, item.name, after=now[0].name)
            elif was and not kept and not {item.new_inner, item.old_inner} & (single | was_single):
                if item.is_input:
                    yield self._change(Kind.TYPES_UNTIED, item.name, before=was[0].name)
                else:
                    yield self._change(Kind.OUTPUT_TYPE, item.name, item.old, item.new)

    def _at_opsets(
        self,
        renamed: Mapping[str, str],
        before: Mapping[str, tuple[str, ...]],
        after: Mapping[str, tuple[str, ...]],
    ) -> Iterator[Change]:
        """Declared types that bodies take at some opsets alone."""
        gone: dict[tuple[Kind, str, str], list[int]] = {}
        for opset in sorted(self._old.opsets & self._new.opsets):
            left, right = self._old.admitted(opset), self._new.admitted(opset)
            for old, new in renamed.items():
                both = frozenset(before[old]) & frozenset(after[new])
                taken, taken_now = left.get(old, frozenset()) & both, right.get(new, frozenset()) & both
                for kind, types in (
                    (Kind.OPSET_TYPES, taken - taken_now),
                    (Kind.OPSET_TYPES_WIDENED, taken_now - taken),
                ):
                    if types:
                        gone.setdefault((kind, f"`{new}`", ", ".join(sorted(types))), []).append(opset)
        for (kind, what, types_text), opsets in gone.items():
            yield self._change(kind, what, span(opsets), types_text)

    # ----------------------------------------------------------------------------------------------- bodies

    def opsets(self) -> Iterator[Change]:
        before, after = self._old.opsets, self._new.opsets
        if before - after:
            yield self._change(Kind.OPSETS_NARROWED, span(before - after))
        if after - before:
            yield self._change(Kind.OPSETS_WIDENED, span(after - before))
        gone: dict[str, list[int]] = {}
        variables = {name for name, _ in (*self._before.types, *self._after.types)}
        calls = _Callers(self._after, self._before)
        names = {right.name: left.name for left, right in self._inputs if left is not None and right is not None}
        for opset in sorted(before & after):
            served = [_without(_renamed(variant, names), variables) for variant in self._new.served(opset)]
            if TEMPLATE in self._new.served(opset):
                continue  # it serves whatever it is asked for
            own = [_without(variant, variables) for variant in self._old.served(opset) if variant != TEMPLATE]
            for variant in dict.fromkeys(own):
                part = part_without(calls.with_known(of_its_own(variant, own)), served, calls.few)
                if part is not None:
                    opsets = gone.setdefault(_text(part, variant), [])
                    opsets += [opset] if opset not in opsets else []
        for text, opsets in gone.items():
            yield self._change(Kind.VARIANT_GONE, text, span(opsets))

    def operator(self) -> Iterator[Change]:
        for item in operator_changes(self._before.implements, self._after.implements):
            yield self._change(item.kind, item.what, item.before, item.after)

    def marks(self) -> Iterator[Change]:
        if self._before.deprecated != self._after.deprecated:
            yield self._change(Kind.DEPRECATED if self._after.deprecated else Kind.NOT_DEPRECATED)

    def bodies(self) -> Iterator[Change]:
        if has_other_template(self._old, self._new) or differing_bodies(self._old, self._new):
            yield self._change(Kind.BODY)


_Value = InputEntry | OutputEntry
_V = TypeVar("_V", InputEntry, OutputEntry)


@dataclass(frozen=True, slots=True)
class _Typed:
    """An input or output of both states, with its types."""

    name: str
    is_input: bool
    old: str
    new: str

    @property
    def old_inner(self) -> str:
        return split_type(self.old)[1]

    @property
    def new_inner(self) -> str:
        return split_type(self.new)[1]

    @property
    def old_wrap(self) -> tuple[str, ...]:
        return split_type(self.old)[0]

    @property
    def new_wrap(self) -> tuple[str, ...]:
        return split_type(self.new)[0]


def _paired(old: Sequence[_V], new: Sequence[_V]) -> list[tuple[_V | None, _V | None]]:
    """What corresponds: by name; and by place, where neither name occurs on the other side."""
    names, names_now = {item.name: item for item in old}, {item.name: item for item in new}
    pairs: list[tuple[_V | None, _V | None]] = []
    taken: set[str] = set()
    for index, left in enumerate(old):
        right = names_now.get(left.name)
        if right is None and index < len(new) and new[index].name not in names:
            right = new[index]
        if right is not None:
            taken.add(right.name)
        pairs.append((left, right))
    return pairs + [(None, right) for right in new if right.name not in taken]


def _admits(inner: str, types: Mapping[str, tuple[str, ...]]) -> frozenset[str] | None:
    """The element types of a type variable or of an element type's name; None for any."""
    return None if inner == ANY else frozenset(types.get(inner, (inner,)))


def _without(variant: Variant, axes: set[str]) -> Variant:
    return tuple((axis, value) for axis, value in variant if axis not in axes)


def _presence(item: AttributeEntry) -> str:
    if item.required:
        return "required"
    return "optional" if item.default is None else f"with the default {_value(item)}"


def _value(item: AttributeEntry) -> str:
    if item.default is None:
        return "none"
    return repr(list(item.default) if isinstance(item.default, tuple) else item.default)


def _truth(item: AttributeEntry) -> str:
    return "a truth value" if item.is_bool else "a number"


def _ordinal(place: int) -> str:
    return f"number {place + 1}"


def span(opsets: Iterable[int]) -> str:
    """`13-17, 20`."""
    runs: list[list[int]] = []
    for opset in sorted(opsets):
        if runs and runs[-1][1] == opset - 1:
            runs[-1][1] = opset
        else:
            runs.append([opset, opset])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
