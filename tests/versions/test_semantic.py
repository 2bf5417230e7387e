"""Numbers of releases, and what each step may bring."""

from __future__ import annotations

import pytest
from opwright_build.versions.change import Change, Kind
from opwright_build.versions.semantic import (
    Step,
    development_version,
    needed,
    parse_release,
    smallest,
    step_between,
)


def change(kind: Kind) -> Change:
    return Change("com.acme::Scale@1", kind)


@pytest.mark.parametrize(
    ("kind", "step", "before_one"),
    [
        (Kind.VALUES_EQUAL, Step.PATCH, Step.PATCH),
        (Kind.VALUES_CLOSE, Step.PATCH, Step.PATCH),
        (Kind.OPSETS_WIDENED, Step.MINOR, Step.PATCH),
        (Kind.FUNCTION_ADDED, Step.MINOR, Step.PATCH),
        (Kind.VERSION_ADDED, Step.MINOR, Step.PATCH),
        (Kind.DEPRECATED, Step.MINOR, Step.PATCH),
        (Kind.FUNCTION_GONE, Step.MAJOR, Step.MINOR),
        (Kind.PACKAGE, Step.MAJOR, Step.MINOR),
        (Kind.DEFAULT, Step.MAJOR, Step.MINOR),
        (Kind.VALUES_DIFFER, Step.MAJOR, Step.MINOR),
    ],
)
def test_what_a_change_needs(kind: Kind, step: Step, before_one: Step) -> None:
    assert needed(change(kind), (1, 2, 3)) is step
    assert needed(change(kind), (0, 2, 3)) is before_one


@pytest.mark.parametrize(
    ("last", "next_", "step"),
    [
        ((1, 2, 3), (1, 2, 4), Step.PATCH),
        ((1, 2, 3), (1, 3, 0), Step.MINOR),
        ((1, 2, 3), (2, 0, 0), Step.MAJOR),
        ((1, 2, 3), (1, 2, 3), None),
        ((1, 2, 3), (1, 1, 9), None),
    ],
)
def test_the_step_between_two_releases(
    last: tuple[int, int, int], next_: tuple[int, int, int], step: Step | None
) -> None:
    assert step_between(last, next_) is step


def test_the_smallest_number() -> None:
    assert smallest([], (1, 2, 3)) == "1.2.4"
    assert smallest([change(Kind.VALUES_EQUAL), change(Kind.FUNCTION_ADDED)], (1, 2, 3)) == "1.3.0"
    assert smallest([change(Kind.FUNCTION_GONE)], (1, 2, 3)) == "2.0.0"
    assert smallest([change(Kind.FUNCTION_GONE)], (0, 2, 3)) == "0.3.0"


@pytest.mark.parametrize(
    ("version", "last", "expected"),
    [
        ("1.2.0", "1.2.0", "1.2.1.dev0"),
        ("1.3.0", "1.2.0", "1.3.0.dev0"),
        ("1.1.0", "1.2.9", "1.2.10.dev0"),
        ("1.2", "1.2.0", "1.2.dev0"),
    ],
)
def test_the_version_between_releases(version: str, last: str, expected: str) -> None:
    assert development_version(version, last) == expected


def test_numbers() -> None:
    assert parse_release("1.20.3") == (1, 20, 3)
    assert [parse_release(text) for text in ("1.2", "1.2.3.4", "1.2.3rc1", "01.2.3", "1.2.-3", "\u0661.2.3")] == [
        None
    ] * 6


def test_each_kind_has_a_word_of_its_own() -> None:
    assert len({kind.word for kind in Kind}) == len(Kind)
    assert all(not kind.promised or kind.level for kind in Kind)
