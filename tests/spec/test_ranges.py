from __future__ import annotations

import pytest
from opwright_build.spec.model import OpsetRange
from opwright_build.spec.ranges import RangeError, admits_release, parse_opsets, range_of, release_numbers

from tests.work import ends

OUTER = OpsetRange(13, 28)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (">=13", 13, 28),
        (">= 15", 15, 28),
        (">=13,<=20", 13, 20),
        (">=13 , <=20", 13, 20),
        ("<=20,>=13", 13, 20),
        ("==18", 18, 18),
        (">=18,<=18", 18, 18),
        (">=40", 40, 40),
        (">=1,<=99", 1, 99),
    ],
)
def test_forms(text: str, first: int, last: int) -> None:
    assert parse_opsets(text, OUTER) == OpsetRange(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "13",
        ">13",
        "<=20",
        ">=20,<=13",
        "==13,<=20",
        ">=13,>=14",
        ">=13,",
        "~=13",
        ">=1.5",
        ">=-1",
        ">=0,<=5",
        "==0",
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(RangeError):
        parse_opsets(text, OUTER)


def test_a_range_of_its_own_needs_an_end() -> None:
    with pytest.raises(RangeError, match="no last opset"):
        parse_opsets(">=13")
    assert parse_opsets(">=13,<=28") == OUTER


def test_a_range_is_a_collection_of_opsets() -> None:
    assert list(OpsetRange(13, 15)) == [13, 14, 15]
    assert 13 in OUTER
    assert 29 not in OUTER
    assert "13" not in OUTER


@pytest.mark.parametrize(
    ("requirement", "release", "admitted"),
    [
        (">=0.1", "0.1.0", True),
        (">=0.1", "0.0.9", False),
        (">=0.1,<2", "1.9.9", True),
        (">=0.1,<2", "2.0", False),
        ("==1.0", "1", True),
        ("!=1.0", "1.0.0", False),
        ("<=1.2", "1.2.1", False),
        (">1.9", "1.10", True),
        (">=0.2", "0.2.0rc1", True),
    ],
)
def test_releases(requirement: str, release: str, admitted: bool) -> None:
    assert admits_release(requirement, release) is admitted


@pytest.mark.parametrize("requirement", ["", "0.1", "~=0.1", ">=0.1,", ">=x", ">=0.1.dev1", ">=0..1"])
def test_other_requirements_are_refused(requirement: str) -> None:
    with pytest.raises(RangeError):
        admits_release(requirement, "0.1.0")


def test_release_numbers() -> None:
    assert release_numbers("1.2.0") == (1, 2)
    assert release_numbers("0") == ()
    assert release_numbers("1.10rc2") == (1, 10)


@pytest.mark.parametrize(
    ("text", "meant"),
    [(">20", '`">=21"`'), ("20", '`">=20"`'), (">15,<20", '`">=16,<=19"`'), ("<20", '`">=15,<=19"`'), ("<=20", "<=20")],
)
def test_a_refused_range_is_told_as_it_is_written(text: str, meant: str) -> None:
    assert meant in range_of(text, OpsetRange(15, 22))


def test_a_long_text_is_looked_at_once() -> None:
    with ends():
        assert range_of(" " * 500_000 + "x") == range_of("x")
        assert ">=14" in range_of(">" * 500_000 + "13")
