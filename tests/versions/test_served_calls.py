"""Bodies of two states are compared wherever a call may come to both of them, whatever their variants are called."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from opwright.bundle.format import BodyEntry
from opwright.lang.facts import ABSENT, OTHER, PRESENT
from opwright.variants import NOT, match_variants
from opwright_build.versions.served_calls import Variant, common_opsets, of_its_own, part_without

from tests.versions.states import LIBRARY, State, changes_between, edited, spec, state

RANK, ALPHA, TYPE = "X.rank", "alpha", "T"
FIRST, LAST = 15, 18
Call = Mapping[str, tuple[str, ...]]
CALLS: list[Call] = [
    {RANK: (str(rank),), ALPHA: (ABSENT,) if alpha is None else (PRESENT, alpha), TYPE: (kind,)}
    for rank, alpha, kind in product(range(8), (None, "1.0", "2.0", "9.0"), ("float", "double"))
]


def body(variant: dict[str, str], first: int, last: int) -> BodyEntry:
    return BodyEntry(first, last, tuple(variant.items()), f"body1:{sorted(variant.items())}{first}", (), (), ())


def drawn_state(draw: random.Random) -> list[BodyEntry]:
    """Bodies as a family has them: for each call at most one."""
    axes: dict[str, list[str]] = {}
    if draw.random() < 0.8:
        ranks = sorted(draw.sample("012345", draw.randint(0, 4)))
        ending = draw.choice([[OTHER], [f"{NOT}{'|'.join(ranks)}"], []]) if ranks else [OTHER]
        axes[RANK] = [*(ranks if ending != [f"{NOT}{'|'.join(ranks)}"] else ranks[:1]), *ending]
    if draw.random() < 0.5:
        axes[ALPHA] = draw.choice([[ABSENT, PRESENT], [ABSENT, "1.0", "2.0"], ["2.0"]])
    if draw.random() < 0.5:
        axes[TYPE] = ["float", "double"]
    cut = draw.choice([None, 16, 17])
    spans = [(FIRST, LAST)] if cut is None else [(FIRST, cut), (cut + 1, LAST)]
    made = [body(dict(zip(axes, values, strict=True)), *span) for values in product(*axes.values()) for span in spans]
    return [item for item in made if draw.random() < 0.9]


def served(bodies: list[BodyEntry], call: Call, opset: int) -> list[BodyEntry]:
    there = [item for item in bodies if item.first_opset <= opset <= item.last_opset]
    return list(match_variants(there, call.__getitem__).fitting)


def test_whatever_serves_one_call_is_compared() -> None:
    draw = random.Random(20)
    met = apart = 0
    for _ in range(300):
        before, after = drawn_state(draw), drawn_state(draw)
        pairs = {
            (left.body, right.body): common_opsets(left, before, right, after) for left, right in product(before, after)
        }
        both: dict[tuple[str, str], set[int]] = {}
        for call, opset in product(CALLS, range(FIRST, LAST + 1)):
            for left, right in product(served(before, call, opset), served(after, call, opset)):
                both.setdefault((left.body, right.body), set()).add(opset)
        for pair, opsets in pairs.items():
            assert both.get(pair, set()) <= set(opsets), pair
            met, apart = met + (pair in both), apart + (not opsets)
    assert met > 1000
    assert apart > 1000


@pytest.mark.parametrize("variants", [("2", OTHER), ("1", "3", OTHER), (ABSENT, "1.0", OTHER)])
def test_a_state_that_stays_has_no_pair_of_two_bodies(variants: tuple[str, ...]) -> None:
    bodies = [body({RANK: value}, FIRST, LAST) for value in variants]
    for left, right in product(bodies, bodies):
        assert bool(common_opsets(left, bodies, right, bodies)) == (left is right)


def test_a_body_for_two_values_at_once_is_no_pair_of_that_for_all_others() -> None:
    variants = [{RANK: "0", "Y.rank": "0"}, {RANK: OTHER, "Y.rank": OTHER}]
    bodies = [body(variant, FIRST, LAST) for variant in variants]
    for left, right in product(bodies, bodies):
        assert bool(common_opsets(left, bodies, right, bodies)) == (left is right)


def test_what_is_served_no_more_is_found() -> None:
    """A part of what a variant served is lost if and only if there is a call that it served and that nothing serves."""
    draw = random.Random(7)
    few = {TYPE: ("float", "double")}
    found = {True: 0, False: 0}
    for _ in range(400):
        before, after = drawn_state(draw), drawn_state(draw)
        opset = draw.randint(FIRST, LAST)
        there, now = (
            [item.variant for item in bodies if item.first_opset <= opset <= item.last_opset]
            for bodies in (before, after)
        )
        lost: dict[Variant, bool] = dict.fromkeys(there, False)
        for call in CALLS:
            for left in served(before, call, opset):
                lost[left.variant] = lost[left.variant] or not served(after, call, opset)
        for variant, is_lost in lost.items():
            part = part_without(of_its_own(variant, there), now, few)
            assert (part is not None) == is_lost, (variant, there, now, part)
            found[is_lost] += 1
    assert min(found.values()) > 150


@pytest.mark.parametrize(
    ("now", "before", "is_covered"),
    [
        ({}, {RANK: "2"}, True),
        ({RANK: "2"}, {}, False),
        ({RANK: OTHER}, {RANK: "2"}, True),
        ({RANK: f"{NOT}2|3"}, {RANK: "4"}, True),
        ({RANK: f"{NOT}2|3"}, {RANK: "3"}, False),
        ({RANK: "4"}, {RANK: f"{NOT}2|3"}, False),
        ({RANK: OTHER}, {RANK: f"{NOT}2|3"}, True),
        ({RANK: f"{NOT}2"}, {RANK: f"{NOT}2|3"}, True),
        ({RANK: f"{NOT}2|3|4"}, {RANK: f"{NOT}2|3"}, False),
        ({ALPHA: "1.0"}, {ALPHA: PRESENT}, False),
        ({ALPHA: PRESENT}, {ALPHA: "1.0"}, True),
        ({ALPHA: PRESENT}, {ALPHA: ABSENT}, False),
    ],
)
def test_what_a_variant_serves_of_another(now: dict[str, str], before: dict[str, str], is_covered: bool) -> None:
    assert (part_without(tuple(before.items()), [tuple(now.items())], {}) is None) == is_covered


RANKS = "  - {name: one, inputs: {X: [3.0, 4.0]}}\n  - {name: three, inputs: {X: [[[3.0]]]}}\n"
BASE = {
    **LIBRARY,
    **spec("Ranks", "def Ranks(X):\n    if X.rank == 2:\n        return X * 3\n    return X + X\n", rows=RANKS),
    **spec("Merged", "def Merged(X):\n    if X.rank == 4:\n        return X * 7\n    return X + X\n", rows=RANKS),
    **spec("Times", "def Times(X, n: int = 1):\n    return X + X + 0 * n\n", rows=RANKS),
}
SUM = "op.Sum(*[X for i in range(n + 1)])"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> State:
    return state(tmp_path_factory.mktemp("base"), BASE)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        # A rank that `other` served gets a body: one that vectors run, and one that none does.
        (
            [("Ranks/function", "    return X + X", "    if X.rank == 3:\n        return X\n    return X + X")],
            "com.acme::Ranks@1 values-differ",
        ),
        (
            [("Ranks/function", "    return X + X", "    if X.rank == 5:\n        return X\n    return X + X")],
            "com.acme::Ranks@1 values-unknown",
        ),
        # A rank that is no longer taken, of a function that had one body for all; one that some axis still tells apart.
        (
            [("Times/function", "    return X", "    assert X.rank == 1\n    return X")],
            "com.acme::Times@1 variant-gone",
        ),
        # A rank whose body goes is served by that of the others, equal on all that vectors run.
        (
            [("Merged/function", "    if X.rank == 4:\n        return X * 7\n    return X + X", "    return X * 2")],
            "com.acme::Merged@1 values-unknown",
        ),
        # A template takes the place of a body: also where what it makes for the vectors is equal.
        ([("Times/function", "X + X + 0 * n", SUM)], "com.acme::Times@1 values-unknown"),
        ([("Times/function", "X + X + 0 * n", f"{SUM} * 1")], "com.acme::Times@1 values-unknown"),
    ],
)
def test_calls_that_get_another_body_are_told(
    edits: list[tuple[str, str, str]], expected: str, base: State, tmp_path: Path
) -> None:
    changes = changes_between(base, state(tmp_path, edited(BASE, edits)))
    assert [f"{change.identity} {change.kind.word}" for change in changes] == [expected]


def test_a_template_that_differs_is_told_though_all_that_vectors_make_is_equal(tmp_path: Path) -> None:
    states = (
        state(tmp_path / name, edited(BASE, [("Times/function", "X + X + 0 * n", text)]))
        for name, text in (("before", SUM), ("after", f"{SUM} * 1"))
    )
    (change,) = changes_between(*states)
    assert f"{change.identity} {change.kind.word}" == "com.acme::Times@1 values-unknown"


def test_a_template_that_becomes_a_body_is_told(tmp_path: Path) -> None:
    files = edited(BASE, [("Times/function", "X + X + 0 * n", SUM)])
    before, after = state(tmp_path / "before", files), state(tmp_path / "after", BASE)
    (change,) = changes_between(before, after)
    assert f"{change.identity} {change.kind.word}" == "com.acme::Times@1 values-unknown"
