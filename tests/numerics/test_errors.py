import numpy as np
import pytest
from opwright.elements import element
from opwright_build.verify.cases.making import expected_from_oracle

from benchmarks.numerics.errors import compare, deviation

FLOAT, HALF = element("float"), element("float16")


def floats(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def expected(*values: float):
    return expected_from_oracle(np.array(values, dtype=np.float64), FLOAT)


def test_units_are_those_of_the_exact_value() -> None:
    found = deviation(expected(1.0, 4.0, 1e-40), floats(1 + 2**-23, 4 - 2**-21, 0.0), FLOAT)
    assert found.absolute[:2].tolist() == [2**-23, 2**-21]
    assert found.ulp[:2].tolist() == [1.0, 1.0]
    assert found.ulp[2] == pytest.approx(1e-40 / 2**-149)
    assert not found.lost.any()


def test_a_correctly_rounded_result_is_half_a_unit_off_at_most() -> None:
    exact = np.linspace(0.1, 70000.0, 10001)
    rounded = expected_from_oracle(exact, HALF)
    finite = np.isfinite(rounded.array)
    assert deviation(rounded, rounded.array, HALF).ulp[finite].max() <= 0.5
    assert not deviation(rounded, rounded.array, HALF).lost.any()


def test_what_is_lost() -> None:
    inf, nan = float("inf"), float("nan")
    exact = expected(1.0, 1.0, inf, inf, nan, nan, -inf, 1e39)
    found = deviation(exact, floats(inf, nan, inf, 1.0, nan, 0.0, inf, 3.4028235e38), FLOAT)
    assert found.lost.tolist() == [True, True, False, True, False, True, True, False]


def test_a_body_that_fails_or_gives_another_shape_loses_everything() -> None:
    for result in (None, floats(1.0), np.zeros(2)):
        assert deviation(expected(1.0, 2.0), result, FLOAT).lost.all()


def test_errors_are_those_over_what_neither_loses() -> None:
    exact = expected(1.0, 1.0, 1.0)
    mine = deviation(exact, floats(1.5, 2.0, 1.0), FLOAT)
    theirs = deviation(exact, floats(1.25, float("inf"), 1.0), FLOAT)
    ours, standard = compare(mine, theirs)
    assert (ours.absolute, ours.lost) == (0.5, 0)
    assert (standard.absolute, standard.lost) == (0.25, 1)
    both = ours.joined(standard)
    assert (both.absolute, both.lost) == (0.5, 1)


def test_integers_and_booleans_differ_by_their_difference() -> None:
    exact = expected_from_oracle(np.array([3, 250], dtype=np.int64), element("uint8"))
    found = deviation(exact, np.array([3, 255], dtype=np.uint8), element("uint8"))
    assert found.ulp.tolist() == [0.0, 5.0]
