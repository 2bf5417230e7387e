"""Choosing variants by facts, and naming them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opwright.variants import (
    Key,
    labels,
    match_variants,
    name_of_overload,
    one_of,
    overload_of,
    portable_name,
    possible_bases,
)


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
        ((("T_x", "float8e4m3fn"),), "T_x=float8e4m3fn", "F__T_x_float8e4m3fn"),
        ((("x.rank", "3"),), "x.rank=3", "F__x_rank_3"),
        ((("x_rank", "3"),), "x_rank=3", "F__xX5Frank_3"),
        ((("x.rank", "not:3|4"),), "x.rank=not:3|4", "F__x_rank_notX3A3X7C4"),
        ((("mode", "a,b=c"),), "mode=a%2Cb%3Dc", "F__mode_aX2CbX3Dc"),
        ((("mode", "ä %"),), "mode=%C3%A4%20%25", "F__mode_XC3XA4X20X25"),
        ((("mode", ""),), "mode=", "F__mode_XFF"),
        ((("axes", "[0, 1]"),), "axes=[0%2C%201]", "F__axes_X5B0X2CX201X5D"),
        ((("X", "X5F_"),), "X=X5F_", "F__X_X585FX5F"),
        ((("since", "1"),), "since=1", "F__X73ince_1"),
    ],
)
def test_names(key: Key, overload: str, portable: str) -> None:
    assert overload_of(key) == overload
    assert portable_name("F", key) == portable
    assert name_of_overload("F", overload) == portable
    assert "F" in possible_bases(portable)


def test_names_of_other_versions_and_of_overloads_from_elsewhere() -> None:
    assert portable_name("F", (), 2) == name_of_overload("F", "@2") == "F__since_2"
    assert portable_name("F", (("T", "float"),), 2) == name_of_overload("F", "@2,T=float") == "F__since_2__T_float"
    found = [name_of_overload("add", overload) for overload in ("Tensor", "since_2", "@02", "a=b,", "a_b", "x_rank=")]
    assert found == ["add__Tensor", "add__sinceX5F2", "add__X4002", "add__aX3DbX2C", "add__aX5Fb", "add__xX5Frank_XFF"]


AXES = st.from_regex(r"[A-Za-zX_][A-Za-z0-9X_é]{0,5}(\.rank)?", fullmatch=True)
VALUES = st.text(st.sampled_from("aX_5F0.-,=@%é ") | st.characters(exclude_categories=["Cs"]), max_size=6)
KEYS = st.lists(st.tuples(AXES | st.sampled_from(["since", "x_rank", "x.rank"]), VALUES), max_size=3).map(tuple)


@given(key=KEYS, since_version=st.sampled_from([0, 1, 12]))
@pytest.mark.long
def test_a_name_says_its_key(key: Key, since_version: int) -> None:
    """The key can be read from the name, so that no two keys give one name."""
    name = portable_name("F", key, since_version)
    assert name.isascii() and name.isidentifier()
    assert read(name) == (since_version, key)


def read(name: str) -> tuple[int, Key]:
    _, *parts = name.split("__")
    since = int(parts.pop(0).removeprefix("since_")) if parts and parts[0].startswith("since_") else 0
    pairs = [part.rpartition("_") for part in parts]
    return since, tuple((read_axis(axis), "" if value == "XFF" else unescaped(value)) for axis, _, value in pairs)


def read_axis(text: str) -> str:
    return unescaped(text.removesuffix("_rank")) + (".rank" if text.endswith("_rank") else "")


def unescaped(text: str) -> str:
    parts = re.split("X([0-9A-F]{2})", text)
    data = b"".join(bytes.fromhex(part) if index % 2 else part.encode() for index, part in enumerate(parts))
    return data.decode()
