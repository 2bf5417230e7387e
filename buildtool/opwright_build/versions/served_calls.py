"""Which calls the variants of two states of a version have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from opwright.bundle.format import BodyEntry
from opwright.lang.facts import ABSENT, OTHER, PRESENT
from opwright.variants import NOT

Variant = tuple[tuple[str, str], ...]


def common_opsets(left: BodyEntry, lefts: Sequence[BodyEntry], right: BodyEntry, rights: Sequence[BodyEntry]) -> range:
    """From the first to the last opset at which there may be calls that both bodies serve; `lefts` and `rights` are all
    bodies of either state. `other` on an axis is none of the values that have a variant of their own there."""
    first, last = max(left.first_opset, right.first_opset), min(left.last_opset, right.last_opset)
    if first > last or not _may_meet(left.variant, right.variant):
        return range(0)
    if not _has_other(left.variant) and not _has_other(right.variant):
        return range(first, last + 1)
    opsets = [
        opset
        for opset in range(first, last + 1)
        if not _has_own(left.variant, right.variant, lefts, opset)
        and not _has_own(right.variant, left.variant, rights, opset)
    ]
    return range(opsets[0], opsets[-1] + 1) if opsets else range(0)


def part_without(wanted: Variant, served: Sequence[Variant], few: Mapping[str, Sequence[str]]) -> Variant | None:
    """A part of what the variant `wanted` served that none of `served` does; None where they serve all of it.

    `few` has the values of axes of which there are few; an axis that is not among them has others than those that are
    named. What stands for many values, or says nothing of an axis, is looked at value by value where others tell some
    apart.
    """
    known = dict(wanted)
    fitting = [variant for variant in served if _may_meet(variant, wanted)]
    if any(all(axis in known and _takes(value, known[axis]) for axis, value in variant) for variant in fitting):
        return None
    for axis in dict.fromkeys(axis for variant in fitting for axis, _ in variant):
        parts = _parts(
            known.get(axis), [value for item in fitting for name, value in item if name == axis], few.get(axis)
        )
        if parts != [known.get(axis)]:
            found = (part_without(_with(known, axis, part), fitting, few) for part in parts)
            return next((part for part in found if part is not None), None)
    return wanted


def of_its_own(variant: Variant, variants: Sequence[Variant]) -> Variant:
    """The variant with each `other` as none of the values that others of its state name, where these agree on all the
    rest."""
    return tuple(
        (axis, _none_of(_values(_told(axis, variant, variants))) if value == OTHER else value)
        for axis, value in variant
    )


def _with(known: Mapping[str, str], axis: str, value: str) -> Variant:
    return tuple({**known, axis: value}.items())


def _parts(wanted: str | None, told: Iterable[str], few: Sequence[str] | None) -> list[str]:
    """The values of an axis that what is wanted there consists of, where some are told apart: single ones, and none of
    those."""
    if wanted is not None and wanted != PRESENT and not wanted.startswith(NOT):
        return [wanted]
    named = _values(told)
    if few is not None:
        return [value for value in few if wanted is None or _meet(value, wanted)]
    out = {ABSENT} if wanted == PRESENT else set() if wanted is None else _excluded(wanted)
    single = sorted(named - out - {PRESENT})
    rest = _none_of(named | out)
    return [*single, rest]


def _values(told: Iterable[str]) -> set[str]:
    """The single values that some facts name, those that they exclude among them."""
    found: set[str] = set()
    for value in told:
        if value.startswith(NOT):
            found |= _excluded(value)
        elif value == PRESENT:
            found.add(ABSENT)
        elif value != OTHER:
            found.add(value)
    return found


def _none_of(values: Iterable[str]) -> str:
    return NOT + "|".join(sorted(values))


def _takes(value: str, wanted: str) -> bool:
    """Whether a value of an axis stands for all that the wanted one stands for: many of them, where that is no single
    value."""
    if value in (wanted, OTHER):
        return True
    if wanted.startswith(NOT):
        if value == PRESENT:
            return ABSENT in _excluded(wanted)
        return value.startswith(NOT) and _excluded(value) <= _excluded(wanted)
    return wanted not in (OTHER, PRESENT) and _meet(value, wanted)


def _excluded(value: str) -> set[str]:
    return set(value.removeprefix(NOT).split("|"))


def _may_meet(left: Variant, right: Variant) -> bool:
    """Whether no axis that both have keeps them apart."""
    known = dict(left)
    return all(axis not in known or _meet(known[axis], value) for axis, value in right)


def _meet(one: str, other: str) -> bool:
    """Whether a call may have both facts on an axis: an attribute that is `present` has a value, too."""
    if one == other or OTHER in (one, other):
        return True
    for first, second in ((one, other), (other, one)):
        if first == PRESENT:
            return second != ABSENT
        if first.startswith(NOT):
            return second not in _excluded(first)
    return False


def _has_other(variant: Variant) -> bool:
    return any(value == OTHER for _, value in variant)


def _has_own(variant: Variant, wanted: Variant, bodies: Sequence[BodyEntry], opset: int) -> bool:
    """Whether all calls of `wanted` have, where `variant` has `other`, values with a body of their own, which agrees
    with the variant on all the rest."""
    known, named = dict(variant), dict(wanted)
    for told in (dict(body.variant) for body in bodies if body.first_opset <= opset <= body.last_opset):
        apart = [axis for axis, value in variant if told.get(axis, value) != value]
        if apart and all(known[axis] == OTHER and told[axis] == named.get(axis) for axis in apart):
            return True
    return False


def _told(axis: str, variant: Variant, variants: Iterable[Variant]) -> Iterator[str]:
    """What variants tell of an axis that agree with one on all the rest."""
    rest = [(name, value) for name, value in variant if name != axis]
    for exact in map(dict, variants):
        if axis in exact and all(exact.get(name, value) == value for name, value in rest):
            yield exact[axis]
