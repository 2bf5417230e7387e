"""The ranks of results, where the ranks of inputs, the number of items in a list or an attribute decide them.

Only what is certain stands here; where nothing does, the rank is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from opwright.lang import ir
from opwright.opsets.record import RankRule, Record

Attributes = Mapping[str, ir.Attribute]
Inputs = list[ir.Value | None]
_Rule = Callable[[Inputs, Attributes], int | None]


def infer_rank(record: Record, index: int, inputs: Inputs, attributes: Attributes) -> int | None:
    """The rank of a result of an operator; None where it is not certain."""
    if record.keeps_rank:
        same = (index == 0 or record.rank is RankRule.SAME_FOR_ALL) and (
            record.rank is not RankRule.SAME_ON_AXIS or "axis" in attributes
        )
        return rank_of(_at(inputs, 0)) if same else None
    if index:
        return None
    rule = _RULES.get(record.rank)
    return rule(inputs, attributes) if rule is not None else None


def rank_of(value: ir.Value | None) -> int | None:
    """A tensor's rank, as far as it is known; a number is carried with rank 0."""
    if value is None:
        return None
    shape = value.type.carried_shape
    return None if shape is None else len(shape)


def _at(inputs: Inputs, index: int) -> ir.Value | None:
    return inputs[index] if index < len(inputs) else None


def _widest(inputs: Inputs, attributes: Attributes) -> int | None:
    ranks = [rank_of(value) for value in inputs if value is not None]
    known = [rank for rank in ranks if rank is not None]
    return max(known) if known and len(known) == len(ranks) else None


def count_of(value: ir.Value | None) -> int | None:
    """How many items a list has: the only dimension of a tensor of rank 1."""
    shape = None if value is None else value.type.shape
    return None if shape is None or len(shape) != 1 else ir.size_of(shape[0])


def _integer(attributes: Attributes, name: str, default: int) -> int | None:
    """An attribute's value; None where it is one of the function's own."""
    found = attributes.get(name)
    if found is None:
        return default
    return found.integer


def _listed(attributes: Attributes, name: str) -> int | None:
    """How many items a list attribute has; None where that is not known."""
    found = attributes.get(name)
    return None if found is None or found.items is None else len(found.items)


def _axes(inputs: Inputs, attributes: Attributes) -> int | None:
    """How many axes are given, as an attribute in old versions, else as the second input."""
    if "axes" in attributes:
        return _listed(attributes, "axes")
    return count_of(_at(inputs, 1))


def _plus(rank: int | None, change: int | None) -> int | None:
    return rank + change if rank is not None and change is not None and rank + change >= 0 else None


def _fixed(rank: int) -> _Rule:
    return lambda inputs, attributes: rank


def _reduced(inputs: Inputs, attributes: Attributes) -> int | None:
    rank, keeps = rank_of(_at(inputs, 0)), _integer(attributes, "keepdims", 1)
    if keeps is None:
        return None
    if keeps:
        return rank
    if "axes" not in attributes and _at(inputs, 1) is None:
        keeps_all = _integer(attributes, "noop_with_empty_axes", 0)
        return None if keeps_all is None else rank if keeps_all else 0
    count = _axes(inputs, attributes)
    if count == 0:
        return None  # no axes may mean all of them
    return _plus(rank, None if count is None else -count)


def _arg_reduced(inputs: Inputs, attributes: Attributes) -> int | None:
    keeps = _integer(attributes, "keepdims", 1)
    return None if keeps is None else _plus(rank_of(_at(inputs, 0)), 0 if keeps else -1)


def _reshaped(inputs: Inputs, attributes: Attributes) -> int | None:
    return _listed(attributes, "shape") if "shape" in attributes else count_of(_at(inputs, 1))


def _expanded(inputs: Inputs, attributes: Attributes) -> int | None:
    rank, count = rank_of(_at(inputs, 0)), count_of(_at(inputs, 1))
    return None if rank is None or count is None else max(rank, count)


def _unsqueezed(inputs: Inputs, attributes: Attributes) -> int | None:
    return _plus(rank_of(_at(inputs, 0)), _axes(inputs, attributes))


def _squeezed(inputs: Inputs, attributes: Attributes) -> int | None:
    count = _axes(inputs, attributes)
    return _plus(rank_of(_at(inputs, 0)), None if not count else -count)


def _gathered(inputs: Inputs, attributes: Attributes) -> int | None:
    return _plus(_plus(rank_of(_at(inputs, 0)), rank_of(_at(inputs, 1))), -1)


def _like_indices(inputs: Inputs, attributes: Attributes) -> int | None:
    return rank_of(_at(inputs, 1))


def _multiplied(inputs: Inputs, attributes: Attributes) -> int | None:
    left, right = rank_of(_at(inputs, 0)), rank_of(_at(inputs, 1))
    if left is None or right is None or not left or not right:
        return None
    return max(left, right, 2) - (left == 1) - (right == 1)


def _filled(inputs: Inputs, attributes: Attributes) -> int | None:
    return count_of(_at(inputs, 0))


def _by_shape_attribute(inputs: Inputs, attributes: Attributes) -> int | None:
    return _listed(attributes, "shape")


def _one_more(inputs: Inputs, attributes: Attributes) -> int | None:
    return _plus(rank_of(_at(inputs, 0)), 1)


def _by_equation(inputs: Inputs, attributes: Attributes) -> int | None:
    found = attributes.get("equation")
    text = None if found is None else found.text
    if text is None or "->" not in text or "." in text:
        return None
    return len(text.rpartition("->")[2].replace(" ", ""))


_RULES: dict[RankRule, _Rule] = {
    RankRule.ARG_REDUCED: _arg_reduced,
    RankRule.BROADCAST: _widest,
    RankRule.EQUATION: _by_equation,
    RankRule.EXPANDED: _expanded,
    RankRule.FILLED: _filled,
    RankRule.GATHERED: _gathered,
    RankRule.LIKE_INDICES: _like_indices,
    RankRule.LIST: _fixed(1),
    RankRule.MATRIX: _fixed(2),
    RankRule.MULTIPLIED: _multiplied,
    RankRule.ONE_MORE: _one_more,
    RankRule.REDUCED: _reduced,
    RankRule.RESHAPED: _reshaped,
    RankRule.SCALAR: _fixed(0),
    RankRule.SHAPE_ATTRIBUTE: _by_shape_attribute,
    RankRule.SQUEEZED: _squeezed,
    RankRule.UNSQUEEZED: _unsqueezed,
}
