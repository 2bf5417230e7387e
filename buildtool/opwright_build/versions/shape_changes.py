"""Which of two declarations of shapes promises more: sizes, and names that are one size wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from opwright.bundle.declared_shapes import shape_text
from opwright.bundle.format import InputEntry, OutputEntry, Shape

from opwright_build.versions.change import Kind

Pair = tuple[InputEntry | None, InputEntry | None] | tuple[OutputEntry | None, OutputEntry | None]


@dataclass(frozen=True, slots=True)
class ShapeChange:
    """`what` is the input or output."""

    kind: Kind
    what: str
    before: str
    after: str


def shape_changes(inputs: Sequence[Pair], outputs: Sequence[Pair]) -> Iterator[ShapeChange]:
    """The changes of values that both states have, those of inputs first."""
    pairs = [(left, right) for left, right in (*inputs, *outputs) if left is not None and right is not None]
    old = _Declared([left.declared_shape for left, _ in pairs])
    new = _Declared([right.declared_shape for _, right in pairs])
    for index, (left, right) in enumerate(pairs):
        demands, demanded = new.is_implied_by(old, index), old.is_implied_by(new, index)
        if (demands and demanded) or left.declared_shape == right.declared_shape:
            continue  # a name that another value no longer shares is told of that one
        if isinstance(right, InputEntry):
            kind = Kind.SHAPE_FREE if demands else Kind.SHAPE
            if _is_of_ranks(left.declared_shape) and _is_of_ranks(right.declared_shape):
                kind = Kind.RANK_FREE if demands else Kind.RANK
        else:
            kind = Kind.OUTPUT_SHAPE_SAID if demanded else Kind.OUTPUT_SHAPE
        yield ShapeChange(kind, right.name, *(_text(item.declared_shape) for item in (left, right)))


class _Declared:
    """The shapes of a whole interface."""

    def __init__(self, shapes: Sequence[Shape | None]) -> None:
        self.shapes = shapes
        self.places: dict[str, list[tuple[int, int]]] = {}  # of each name: values and axes
        for index, shape in enumerate(shapes):
            for axis, size in enumerate(shape or ()):
                if isinstance(size, str):
                    self.places.setdefault(size, []).append((index, axis))

    def is_implied_by(self, other: _Declared, index: int) -> bool:
        """Whether all that is said of one value follows from what the other one says."""
        shape, known = self.shapes[index], other.shapes[index]
        if shape is None:
            return True
        if known is None or len(known) != len(shape):
            return False
        for axis, size in enumerate(shape):
            if isinstance(size, int) and known[axis] != size:
                return False
            if isinstance(size, str) and len({other.at(place) for place in self.places[size]}) > 1:
                return False
            if isinstance(size, str) and len(self.places[size]) > 1 and known[axis] is None:
                return False
        return True

    def at(self, place: tuple[int, int]) -> int | str | None:
        """The size there; None where nothing is said of it."""
        index, axis = place
        shape = self.shapes[index]
        return shape[axis] if shape is not None and axis < len(shape) else None


def _is_of_ranks(shape: Shape | None) -> bool:
    return shape is None or all(size is None for size in shape)


def _text(shape: Shape | None) -> str:
    return "any rank" if shape is None else shape_text(shape)
