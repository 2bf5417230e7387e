"""What a row states of its measures, and when it is over its budget."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import line
from benchmarks.rows import Row


def test_the_ratio_is_that_of_the_medians() -> None:
    row = Row("work", "ms", (10.0, 11.0, 90.0), (100.0, 110.0, 120.0), budget=0.1)
    assert row.stated == pytest.approx(0.1)
    assert row.excesses == ()
    assert Row("work", "ms", (12.0,), (100.0,), budget=0.1).excesses == ("cost",)


def test_the_exponent_is_that_of_the_last_two_sizes() -> None:
    linear = Row("work", "ms", (400.0,), sizes=(1, 4, 16), curve=(100.0, 100.0, 400.0))
    assert linear.exponent == pytest.approx(1.0)
    assert linear.excesses == ()
    quadratic = Row("work", "ms", (400.0,), sizes=(1, 4, 16), curve=(100.0, 100.0, 1600.0))
    assert quadratic.exponent == pytest.approx(2.0)
    assert quadratic.excesses == ("exponent",)
    assert "OVER: exponent" in line(quadratic)


def test_a_row_without_a_peer_is_held_to_its_own_measure() -> None:
    assert Row("work", "ms", (240.0, 260.0, 300.0), budget=250.0).excesses == ("cost",)
    assert Row("work", "ms", (240.0, 245.0, 300.0), budget=250.0).excesses == ()


def test_short_measures_are_marked() -> None:
    assert "SHORT" in line(Row("work", "ms", (5.0,), sizes=(1, 4, 16), curve=(5.0, 20.0, 80.0)))
