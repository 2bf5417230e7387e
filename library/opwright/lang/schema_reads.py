"""What a lowering has asked the schemas of operators, beyond what it looked up: so that one at another opset, at which
all answers are the same, need not be made."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import NamedTuple, TypeAlias

from opwright.opsets.signatures import Signature, item_types, signature, tensor_mask

# What ONNX's inference has against one call, by the version of its operator.
Verdict: TypeAlias = Callable[[int], str | None]


class Constraint(NamedTuple):
    """What an operator admits: `type` is a type variable of its signature or an ONNX type, `inside` says of which items
    in it, by how the text of each type around them begins."""

    signature: Signature
    type: str
    inside: tuple[str, ...] = ()

    @property
    def types(self) -> tuple[str, ...]:
        """The ONNX types that are admitted, as texts."""
        return self._of(self.signature)

    @property
    def mask(self) -> int:
        """The element types of the tensors among them."""
        return tensor_mask(self.types)

    @property
    def is_of_schema(self) -> bool:
        """Whether the opset decides about it."""
        own = self.signature
        found = None if own.domain else signature("", own.name, own.since_version)
        return found is not None and found.since_version == own.since_version and found.admitted == own.admitted

    def of_items(self, opening: str) -> Constraint:
        """What is admitted as an item of the types whose texts begin like that."""
        return self._replace(inside=(*self.inside, opening))

    def mask_at(self, opset: int) -> int:
        """The element types at that opset of ai.onnx."""
        found = signature("", self.signature.name, opset)
        return 0 if found is None else tensor_mask(self._of(found))

    def _of(self, found: Signature) -> tuple[str, ...]:
        own = self.signature
        name = self.type if found is own else variables_of(own, found).get(self.type, self.type)
        types = found.admitted.get(name, (name,))
        for opening in self.inside:
            types = item_types(types, opening)
        return types


@cache
def variables_of(older: Signature, newer: Signature) -> Mapping[str, str]:
    """The type variables of one version of an operator, each with the one that stands in its places in another version,
    which may have another name; those alone that stand in the same places of both."""
    found: dict[str, set[str]] = {name: set() for name in older.admitted}
    for one, other in ((older.inputs, newer.inputs), (older.outputs, newer.outputs)):
        for before, now in zip(one, other, strict=False):
            if before.type in found:
                found[before.type].add(now.type)
    pairs = {name: next(iter(names)) for name, names in found.items() if len(names) == 1}
    return {name: other for name, other in pairs.items() if other in newer.admitted}


class Narrowing:
    """What a type variable admits at one time, `mask`: what of `constant` all operators that were `asked` admit.

    A variable is only ever narrowed. Where it ends with several element types, and with the same ones at another opset,
    it had these and more before, at both: so it was neither empty nor one type, whatever else operators took away on
    the way. Only where somebody looked at all that it admitted, or one type or none came next, it has to have been the
    same: where it `is_seen`. So of what a variable was on its way that counts, and the ends of its ways, also of those
    that were taken back: where no other several types followed (`is_followed`), and where it is in the end (`holders`
    are as many variables).
    """

    __slots__ = ("asked", "constant", "holders", "is_followed", "is_seen", "mask")

    def __init__(self, constant: int, asked: frozenset[Constraint] = frozenset(), mask: int | None = None) -> None:
        self.constant = constant
        self.asked = asked
        self.mask = constant if mask is None else mask
        self.holders = 0
        self.is_followed = False
        self.is_seen = False

    def met(self, asked: Constraint, admitted: int, reads: SchemaReads) -> Narrowing:
        """What is left of it by an operator; itself where that has been asked before."""
        if not asked.is_of_schema:
            return self.within(admitted, reads)
        if asked in self.asked:
            return self
        return reads.followed((self,), Narrowing(self.constant, self.asked | {asked}, self.mask & admitted))

    def within(self, mask: int, reads: SchemaReads) -> Narrowing:
        """What is left of it among those element types, whatever the opset."""
        if not self.constant & ~mask:
            return self
        return reads.followed((self,), Narrowing(self.constant & mask, self.asked, self.mask & mask))

    def joined(self, other: Narrowing, reads: SchemaReads) -> Narrowing:
        """What both have in common."""
        common = Narrowing(self.constant & other.constant, self.asked | other.asked, self.mask & other.mask)
        return reads.followed((self, other), common)

    def mask_at(self, opset: int) -> int:
        """The same at another opset of ai.onnx, where the same operators are asked."""
        mask = self.constant
        for asked in self.asked:
            mask &= asked.mask_at(opset)
        return mask


class SchemaReads:
    """`elements`: by operator of ai.onnx, the element types, as a bit mask, of which it was asked whether it takes or
    gives them.
    `holders`: operators of ai.onnx of which it was asked whether they take or give what holds tensors: sequences, say.
    `versions`: operators of ai.onnx of which that was asked which only the same version is sure to answer alike.
    `verdicts`: what ONNX's inference was asked, by the operator's name and the call.
    `narrowings`: all that variables admitted which no function declares."""

    __slots__ = ("elements", "holders", "narrowings", "verdicts", "versions")

    def __init__(self) -> None:
        self.elements: dict[str, int] = {}
        self.holders: set[str] = set()
        self.versions: set[str] = set()
        self.verdicts: dict[tuple[str, Hashable], Verdict] = {}
        self.narrowings: list[Narrowing] = []

    def ask(self, found: Signature, mask: int) -> None:
        """An operator is asked about those element types."""
        if not found.domain:
            self.elements[found.name] = self.elements.get(found.name, 0) | mask

    def ask_of_holders(self, found: Signature) -> None:
        """An operator is asked about a type that holds others."""
        if not found.domain:
            self.holders.add(found.name)

    def add(self, other: SchemaReads) -> None:
        """All that another one has asked as well."""
        if other.holders:
            self.holders |= other.holders
        for name, mask in other.elements.items():
            self.elements[name] = self.elements.get(name, 0) | mask
        if other.versions:
            self.versions |= other.versions
        if other.verdicts:
            self.verdicts.update(other.verdicts)

    def followed(self, before: tuple[Narrowing, ...], after: Narrowing) -> Narrowing:
        """Notes what some become; gives that."""
        has_several = after.mask & (after.mask - 1)
        for narrowing in before:
            if has_several:
                narrowing.is_followed = True
            else:
                narrowing.is_seen = True
        self.narrowings.append(after)
        return after

    @property
    def decisive(self) -> Mapping[tuple[int, frozenset[Constraint]], Narrowing]:
        """Of the narrowings those that have to be the same at another opset, each once."""
        counted = (item for item in self.narrowings if item.is_seen or item.holders or not item.is_followed)
        return {(item.constant, item.asked): item for item in counted if item.asked}
