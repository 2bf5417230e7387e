"""Which of two declarations of shapes promises more: sizes, and names that are one size wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from opwright.bundle.call_interface import shape_text
from opwright.bundle.format import InputEntry, OutputEntry, Shape

from opwright_build.versions.change import Kind

Pair = tuple[InputEntry | None, InputEntry | None] | tuple[OutputEntry | None, OutputEntry | None]


class Axis(NamedTuple):
    """A dimension of a value, both by their places."""

    value: int
    axis: int


@dataclass(frozen=True, slots=True)
class ShapeChange:
    """`what` is the input or output."""

    kind: Kind
    what: str
    before: str
    after: str


def shape_changes(inputs: Sequence[Pair], outputs: Sequence[Pair]) -> Iterator[ShapeChange]:
    """The changes of values that both states have, those of inputs first.

    What inputs demand has to follow from what inputs demanded. What outputs promised has to follow from all that is
    declared now, for calls that were good before.
    """
    pairs = [(left, right) for left, right in (*inputs, *outputs) if left is not None and right is not None]
    count = sum(isinstance(right, InputEntry) for _, right in pairs)
    old = [left.declared_shape for left, _ in pairs]
    new = [right.declared_shape for _, right in pairs]
    names = [right.name for _, right in pairs]
    changed = {index for index, (left, right) in enumerate(zip(old, new, strict=True)) if left != right}
    demanded, demands = _Sizes(old[:count]), _Sizes(new[:count])
    before, after = _Sizes(old, new[:count]), _Sizes(new, old[:count])
    for index, name in enumerate(names):
        left_text, right_text = _text(old[index]), _text(new[index])
        if index < count:
            frees, kept = demanded.imply(new[:count], index), demands.imply(old[:count], index)
            if (frees and kept) or index not in changed:
                continue  # a name that another input no longer shares is told of that one
            kind = Kind.SHAPE_FREE if frees else Kind.SHAPE
            if _is_of_ranks(old[index]) and _is_of_ranks(new[index]):
                kind = Kind.RANK_FREE if frees else Kind.RANK
        else:
            kept = after.imply(old, index)
            if kept and before.imply(new, index):
                continue
            if index not in changed:
                others = {*after.untied(old, index), *before.untied(new, index)}
                if all(other in changed and other >= count for other in others):
                    continue  # it is told of that output
                left_text += _ties_text(old, index, names)
                right_text += _ties_text(new, index, names)
            kind = Kind.OUTPUT_SHAPE_SAID if kept else Kind.OUTPUT_SHAPE
        yield ShapeChange(kind, name, left_text, right_text)


class _Sizes:
    """What declarations say together: the ranks of values, and which of their sizes are equal, or are a number. A name
    is one size within a declaration, whatever the other ones call it."""

    def __init__(self, *declarations: Sequence[Shape | None]) -> None:
        self._ranks: dict[int, set[int]] = {}
        self._equal: dict[Axis | int, set[Axis | int]] = {}  # all that a size is equal to, itself among them
        for shapes in declarations:
            first: dict[str, Axis] = {}
            for index, shape in enumerate(shapes):
                if shape is not None:
                    self._ranks.setdefault(index, set()).add(len(shape))
                for axis, size in enumerate(shape or ()):
                    if size is not None:
                        at = Axis(index, axis)
                        self._join(at, first.setdefault(size, at) if isinstance(size, str) else size)

    def _join(self, one: Axis | int, other: Axis | int) -> None:
        equal, others = (self._equal.setdefault(item, {item}) for item in (one, other))
        if equal is not others:
            equal |= others
            self._equal.update(dict.fromkeys(others, equal))

    @cached_property
    def _contradict(self) -> bool:
        """Whether no values are as they are said, of which everything is true."""
        numbers = (sum(isinstance(item, int) for item in equal) for equal in self._equal.values())
        return any(len(ranks) > 1 for ranks in self._ranks.values()) or any(number > 1 for number in numbers)

    def imply(self, shapes: Sequence[Shape | None], index: int) -> bool:
        """Whether all that a declaration says of one value follows."""
        shape = shapes[index]
        if shape is None or self._contradict:
            return True
        if self._ranks.get(index) != {len(shape)}:
            return False
        numbers = [(Axis(index, axis), size) for axis, size in enumerate(shape) if isinstance(size, int)]
        return all(size in self._equal.get(at, ()) for at, size in numbers) and not self.untied(shapes, index)

    def untied(self, shapes: Sequence[Shape | None], index: int) -> list[int]:
        """The values that share a size with this one in a declaration, where that does not follow."""
        ties = _ties(shapes, index) if not self._contradict else ()
        return [other.value for _, at, other in ties if other not in self._equal.get(at, ())]


def _ties(shapes: Sequence[Shape | None], index: int) -> Iterator[tuple[str, Axis, Axis]]:
    """The names of sizes of one value, each with all other places where it stands."""
    for axis, size in enumerate(shapes[index] or ()):
        if isinstance(size, str):
            at = Axis(index, axis)
            for value, shape in enumerate(shapes):
                others = (Axis(value, place) for place, name in enumerate(shape or ()) if name == size)
                yield from ((size, at, other) for other in others if other != at)


def _ties_text(shapes: Sequence[Shape | None], index: int, names: Sequence[str]) -> str:
    """Which values share sizes with this one: ` with the N of X`."""
    first: dict[str, int] = {}
    for size, _, other in _ties(shapes, index):
        first.setdefault(size, other.value)
    named = [f"the {size} of {names[value]}" for size, value in first.items()]
    return f" with {' and '.join(named)}" if named else ""


def _is_of_ranks(shape: Shape | None) -> bool:
    return shape is None or all(size is None for size in shape)


def _text(shape: Shape | None) -> str:
    return "any rank" if shape is None else shape_text(shape)
