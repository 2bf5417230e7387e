"""Facts as text, and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opwright.lang.facts import declared_values, excluded_ranks, fact_of, other_rank, shown, value_of


@pytest.mark.parametrize(
    ("value", "kind", "fact"),
    [
        (3, "INT", "3"),
        (-1, "INT", "-1"),
        (True, "INT", "1"),
        (0.1, "FLOAT", "0.1"),
        ("linear", "STRING", "linear"),
        ("absent", "STRING", "'absent'"),
        ("other", "STRING", "'other'"),
        ("not:3", "STRING", "'not:3'"),
        ("'a'", "STRING", "\"'a'\""),
        ((0, -1), "INTS", "[0, -1]"),
        ((0.5, -1.0), "FLOATS", "[0.5, -1.0]"),
        (("a", "b, c"), "STRINGS", "['a', 'b, c']"),
        ((), "INTS", "[]"),
    ],
)
def test_values(value: Any, kind: str, fact: str) -> None:
    assert fact_of(value) == fact
    assert value_of(fact, kind, isinstance(value, bool)) == value
    if isinstance(value, str):
        assert fact_of(value.encode()) == fact  # as a proto holds it


@given(st.text())
def test_text_survives(text: str) -> None:
    assert value_of(fact_of(text), "STRING", False) == text


@given(st.lists(st.text(), max_size=4).map(tuple))
def test_lists_of_text_survive(items: tuple[str, ...]) -> None:
    assert value_of(fact_of(items), "STRINGS", False) == items


def test_an_attribute_that_is_not_given() -> None:
    assert fact_of(None) == "absent"


def test_declared_values() -> None:
    assert declared_values(("a", "b"), False) == ("a", "b")
    assert declared_values((), True) == ("0", "1")
    assert declared_values((), False) == ()


def test_other_ranks() -> None:
    fact = other_rank([4, 2])
    assert excluded_ranks(fact) == (2, 4)
    assert (shown(fact), shown(fact, complete=False)) == ("other", "not:2|4")
    assert excluded_ranks("not:2|4") == (2, 4)
    assert excluded_ranks("other") == ()
    assert excluded_ranks("3") is None
    assert shown("3") == "3"
