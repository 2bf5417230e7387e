"""The carried types of nested loops, memoised between the fixpoint iterations of the loop around them.

A loop inside of a loop is lowered in each round of the outer one. What its first rounds found the first time need not
be found again: where names enter it with types that are as wide as then or wider, the types that it carried then are
no wider than those which it needs now, and it begins with them.
"""

from __future__ import annotations

from collections.abc import Mapping

from opwright.lang import ir
from opwright.lang.value_class import record


@record
class Agreed:
    """The initial types of a loop's names, and those that were widened to reach the fixpoint.

    `several`: whether a round widened more than one. `mixed`: names that carry tensors for numbers, and their kinds.
    """

    entering: Mapping[str, ir.Type]
    widened: Mapping[str, ir.Type]
    several: bool
    mixed: Mapping[str, frozenset[ir.NumberKind]]

    def begin(self, entering: Mapping[str, ir.Type]) -> dict[str, ir.Type] | None:
        """The types to begin with where names enter with these, of those that differ; None: find them anew."""
        if entering.keys() != self.entering.keys():
            return None
        if not all(_covers(type_, self.entering[name]) for name, type_ in entering.items()):
            return None
        found: dict[str, ir.Type] = {}
        for name, type_ in self.widened.items():
            wide = _wider(type_, entering.get(name, type_))
            if wide is None:
                return None
            if name not in entering or not _covers(entering[name], wide):
                found[name] = wide
        return found


def _covers(wide: ir.Type, narrow: ir.Type) -> bool:
    """Whether it says of values no more than the other type does."""
    if wide.kind is not None:
        return wide.kind is narrow.kind
    if wide.element is not None and narrow.element is not None:
        if not wide.same_as(narrow):
            return False
        if wide.shape is None or narrow.shape is None:
            return wide.shape is None
        pairs = zip(wide.shape, narrow.shape, strict=False)
        return len(wide.shape) == len(narrow.shape) and all(one is None or one == other for one, other in pairs)
    return wide.element is not None and narrow.kind is not None


def _wider(one: ir.Type, other: ir.Type) -> ir.Type | None:
    """A type that covers both; None where there is none, or none is looked for."""
    if _covers(one, other):
        return one
    if _covers(other, one):
        return other
    return one.joined(other) if one.element is not None and one.same_as(other) else None
