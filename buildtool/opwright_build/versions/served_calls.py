"""Which calls the variants of two states of a version have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


def covers(served: Variant, wanted: Variant) -> bool:
    """Whether a variant serves what another one served, as far as both tell of the same axes: `other` is served by none
    that names a value."""
    known = dict(wanted)
    return all(axis not in known or _takes(value, known[axis]) for axis, value in served)


def _takes(value: str, wanted: str) -> bool:
    """Whether a value of an axis stands for all that the wanted one stands for: many of them, where that is no single
    value."""
    if value in (wanted, OTHER):
        return True
    if wanted.startswith(NOT):
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
    """Whether the calls of `wanted` have, on an axis where `variant` has `other`, a value with a body of its own."""
    named = dict(wanted)
    axes = [axis for axis, value in variant if value == OTHER and named.get(axis, OTHER) != OTHER]
    return any(named[axis] in _named(axis, variant, bodies, opset) for axis in axes)


def _named(axis: str, variant: Variant, bodies: Sequence[BodyEntry], opset: int) -> Iterator[str]:
    """The values of an axis that have bodies of their own, where they agree with the variant on all the rest."""
    rest = [(name, value) for name, value in variant if name != axis]
    for body in bodies:
        exact = dict(body.variant)
        is_served = axis in exact and body.first_opset <= opset <= body.last_opset
        if is_served and all(exact.get(name, value) == value for name, value in rest):
            yield exact[axis]
