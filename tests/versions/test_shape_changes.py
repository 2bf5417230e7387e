"""Changes of declared shapes, against an enumeration of all calls that either state takes."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from opwright.bundle.call_interface import Sizes
from opwright.bundle.format import InputEntry, OutputEntry, Shape
from opwright_build.versions.change import Kind
from opwright_build.versions.shape_changes import shape_changes

SIZES: Sequence[int | str | None] = (None, 2, 3, "N", "M")
# Enough to tell all of them apart: two names and a size that no declaration has.
ALL = [shape for rank in range(3) for shape in product((1, 2, 3), repeat=rank)]


def draw_shape(draw: random.Random) -> Shape | None:
    rank = draw.choice((None, 0, 1, 2, 2))
    return None if rank is None else tuple(draw.choice(SIZES) for _ in range(rank))


def taken(shapes: Sequence[Shape | None]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """The calls that keep what is declared."""
    for call in product(ALL, repeat=len(shapes)):
        sizes = Sizes()
        if not any(sizes.contradiction("", declared, shape) for declared, shape in zip(shapes, call, strict=True)):
            yield call


def entry(name: str, shape: Shape | None) -> InputEntry:
    return InputEntry(name, "T", rank=None if shape is None else len(shape), shape=shape)


@pytest.mark.parametrize("seed", range(10))
def test_inputs_that_take_less_break_callers(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(60):
        old, new = ([draw_shape(draw) for _ in range(2)] for _ in range(2))
        if draw.random() < 0.6:
            new[0] = old[0]
        pairs = [(entry(name, left), entry(name, right)) for name, left, right in zip("xy", old, new, strict=True)]
        found = list(shape_changes(pairs, []))
        before, after = set(taken(old)), set(taken(new))
        assert bool(found) == (before != after), (old, new, found)
        assert any(item.kind.breaks for item in found) == bool(before - after), (old, new, found)


@pytest.mark.parametrize("seed", range(6))
def test_outputs_that_are_tied_to_less_break_callers(seed: int) -> None:
    """Inputs change as well: an output whose text stays may promise another size, or none."""
    draw = random.Random(seed)
    for _ in range(25):
        old = [draw_shape(draw) for _ in range(3)]
        new = [draw_shape(draw) if draw.random() < 0.4 else shape for shape in old]
        inputs = [(entry("x", old[0]), entry("x", new[0]))]
        outputs = [
            (OutputEntry(name, "T", shape=left), OutputEntry(name, "T", shape=right))
            for name, left, right in zip("yz", old[1:], new[1:], strict=True)
        ]
        found = list(shape_changes(inputs, outputs))
        before, after = set(taken(old)), set(taken(new))
        good = {call[0] for call in before}
        broken = {call for call in after if call[0] in good} - before
        assert bool(found) == (before != after), (old, new, found)
        assert any(item.kind.breaks for item in found if item.what != "x") == bool(broken), (old, new, found)
        assert any(item.kind.breaks for item in found if item.what == "x") == bool(good - {call[0] for call in after})


def test_an_output_of_the_same_text_tells_what_it_shared() -> None:
    def found(old: str, new: str) -> list[tuple[Kind, str, str, str]]:
        """Of inputs of one dimension each, and an output of the last size."""
        given = zip("xz", old, new, strict=False)
        pairs = [(entry(name, (left,)), entry(name, (right,))) for name, left, right in given]
        output = OutputEntry("y", "T", shape=(old[-1],)), OutputEntry("y", "T", shape=(new[-1],))
        return [(item.kind, item.what, item.before, item.after) for item in shape_changes(pairs, [output])]

    assert found("NKN", "MKN") == [(Kind.OUTPUT_SHAPE, "y", "[N] with the N of x", "[N]")]
    assert found("NKN", "MNN") == [(Kind.OUTPUT_SHAPE, "y", "[N] with the N of x", "[N] with the N of z")]
    assert found("MKN", "NKN") == [(Kind.OUTPUT_SHAPE_SAID, "y", "[N]", "[N] with the N of x")]
    assert found("NKN", "ABA") == [], "names are nothing but ties"


@pytest.mark.parametrize("seed", range(10))
def test_outputs_that_promise_less_break_callers(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(60):
        given, old, new = draw_shape(draw), draw_shape(draw), draw_shape(draw)
        inputs = [(entry("x", given), entry("x", given))]
        found = list(shape_changes(inputs, [(OutputEntry("y", "T", shape=old), OutputEntry("y", "T", shape=new))]))
        before, after = set(taken([given, old])), set(taken([given, new]))
        assert bool(found) == (before != after), (given, old, new, found)
        assert any(item.kind.breaks for item in found) == bool(after - before), (given, old, new, found)


def test_a_change_is_told_of_the_value_whose_declaration_it_is() -> None:
    pairs = [(entry("x", ("N",)), entry("x", ("N",))), (entry("y", ("N",)), entry("y", (2,)))]
    (change,) = shape_changes(pairs, [])
    assert (change.what, change.before, change.after, change.kind.breaks) == ("y", "[N]", "[2]", True)
    renamed = [(entry("x", ("N", "M")), entry("x", ("A", "B")))]
    assert not list(shape_changes(renamed, [])), "names are only names"
