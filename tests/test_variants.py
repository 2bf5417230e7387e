"""Choosing variants by facts, and naming them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from opwright.variants import Key, labels, match_variants, one_of, overload_of, portable_name


@dataclass(frozen=True)
class Body:
    variant: Key
    content: str = ""


def bodies(*keys: str) -> list[Body]:
    return [Body(tuple(tuple(pair.split("=")) for pair in key.split(",") if pair)) for key in keys]  # type: ignore[misc]


def fitting(keys: list[str], **facts: str) -> tuple[list[str], tuple[str, ...]]:
    known = {name.replace("_", "."): (value,) for name, value in facts.items()}
    match = match_variants(bodies(*keys), known.get)
    return [overload_of(item.variant) for item in match.fitting], match.open_axes


PRESENCE = ["a=absent,b=absent", "a=absent,b=present", "a=present,b=absent", "a=present,b=present"]
RANKS = ["x.rank=3", "x.rank=4", "x.rank=other"]


@pytest.mark.parametrize(
    ("keys", "facts", "expected", "open_axes"),
    [
        ([""], {}, [""], ()),
        (PRESENCE, {"a": "present", "b": "absent"}, ["a=present,b=absent"], ()),
        (PRESENCE, {"a": "present"}, ["a=present,b=absent", "a=present,b=present"], ("b",)),
        (RANKS, {"x_rank": "3"}, ["x.rank=3"], ()),
        (RANKS, {"x_rank": "7"}, ["x.rank=other"], ()),
        (RANKS, {}, RANKS, ("x.rank",)),
        (["x.rank=not:3|4"], {"x_rank": "2"}, ["x.rank=not:3|4"], ()),
        (["x.rank=not:3|4"], {"x_rank": "4"}, [], ()),
        (["mode=a", "mode=b"], {"mode": "c"}, [], ()),
        # The others of one branch may include a rank that another branch names.
        (
            ["a=absent,x.rank=other", "a=absent,x.rank=3", "a=present,x.rank=4", "a=present,x.rank=other"],
            {"a": "absent", "x_rank": "4"},
            ["a=absent,x.rank=other"],
            (),
        ),
        (
            ["a=absent,x.rank=other", "a=absent,x.rank=3", "a=present,x.rank=4", "a=present,x.rank=other"],
            {"x_rank": "4"},
            ["a=absent,x.rank=other", "a=present,x.rank=4"],
            ("a",),
        ),
        # An axis that only one branch asks about.
        (["x.rank=2,mode=a", "x.rank=other"], {"x_rank": "2", "mode": "b"}, [], ()),
        (["x.rank=2", "x.rank=other,mode=a", "x.rank=other,mode=b"], {"x_rank": "2"}, ["x.rank=2"], ()),
        (
            ["x.rank=2", "x.rank=other,mode=a", "x.rank=other,mode=b"],
            {"x_rank": "1", "mode": "b"},
            ["x.rank=other,mode=b"],
            (),
        ),
    ],
)
def test_matching(keys: list[str], facts: dict[str, str], expected: list[str], open_axes: tuple[str, ...]) -> None:
    assert fitting(keys, **facts) == (expected, open_axes)


def test_an_attribute_matches_by_value_or_by_presence() -> None:
    for key in ("mode=a", "mode=present"):
        assert match_variants(bodies(key), lambda axis: ("a", "present")).fitting


def test_equal_variants_need_no_fact() -> None:
    found = [Body((("a", "absent"),), "same"), Body((("a", "present"),), "same")]
    match = match_variants(found, lambda axis: None)
    assert one_of(match, lambda body: body.content) is found[0]
    assert one_of(match, lambda body: body.variant) is None


def test_labels_are_those_of_the_first_equal_variant() -> None:
    keys = [body.variant for body in bodies(*RANKS)]
    assert labels(keys, ["a", "a", "b"]) == [keys[0], keys[0], keys[2]]
    assert labels(keys, ["a", "a", "a"]) == [(), (), ()]
    assert labels([], []) == []


@pytest.mark.parametrize(
    ("key", "overload", "portable"),
    [
        ((), "", "F"),
        ((("low", "absent"), ("high", "present")), "low=absent,high=present", "F__low_absent__high_present"),
        ((("x.rank", "3"),), "x.rank=3", "F__x_x2e_rank_3"),
        ((("mode", "a,b=c"),), "mode=a%2Cb%3Dc", "F__mode_a_x25_2Cb_x25_3Dc"),
        ((("mode", "ä %"),), "mode=%C3%A4%20%25", "F__mode__x25_C3_x25_A4_x25_20_x25_25"),
        ((("axes", "[0, 1]"),), "axes=[0%2C%201]", "F__axes__x5b_0_x25_2C_x25_201_x5d_"),
    ],
)
def test_names(key: Key, overload: str, portable: str) -> None:
    assert overload_of(key) == overload
    assert portable_name("F", overload) == portable
