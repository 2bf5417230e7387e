"""Folding, against Python itself."""

from __future__ import annotations

import math
import operator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opwright.lang.meaning import static
from opwright.lang.meaning.numpy_values import call_numpy

NUMBERS = st.one_of(st.booleans(), st.integers(-(1 << 40), 1 << 40), st.floats(allow_nan=False, allow_infinity=False))


def equal(left: Any, right: Any) -> bool:
    return type(left) is type(right) and (left == right or (left != left and right != right))


@given(st.sampled_from(sorted(set(static.BINARY) - {"**", "<<"})), NUMBERS, NUMBERS)
def test_arithmetic_is_pythons(symbol: str, left: Any, right: Any) -> None:
    try:
        expected = getattr(operator, static.BINARY[symbol])(left, right)
    except (ArithmeticError, TypeError, ValueError):
        with pytest.raises(static.StaticError):
            static.binary(symbol, left, right)
        return
    assert equal(static.binary(symbol, left, right), expected)


@given(st.integers(-50, 50), st.integers(0, 30))
def test_integer_powers_are_exact(base: int, exponent: int) -> None:
    assert static.binary("**", base, exponent) == base**exponent


@pytest.mark.parametrize("base", [0.0, -0.0, 0, False])
@pytest.mark.parametrize("exponent", [0.5, 3.0, -math.inf, math.inf, 0.0])
def test_powers_of_zero(base: float, exponent: float) -> None:
    assert repr(static.binary("**", base, exponent)) == repr(base**exponent)


@given(st.floats(0.01, 100), st.floats(-20, 20))
def test_float_powers_are_correctly_rounded(base: float, exponent: float) -> None:
    got = static.binary("**", base, exponent)
    assert math.isclose(got, base**exponent, rel_tol=1e-15)


# Functions of `math` that do not take one float, with arguments of each.
OTHER_ARGUMENTS: dict[str, list[Any]] = {
    "atan2": [1.0, 3.0],
    "comb": [7, 3],
    "copysign": [1.5, -0.0],
    "factorial": [9],
    "fmod": [7.5, -2.0],
    "frexp": [10.0],
    "fsum": [(0.1, 0.2, 0.3)],
    "gcd": [12, 18],
    "hypot": [3.0, 4.0, 12.0],
    "isclose": [0.1 + 0.2, 0.3],
    "isqrt": [17],
    "lcm": [4, 6],
    "ldexp": [0.75, 3],
    "modf": [3.25],
    "nextafter": [1.0, 2.0],
    "perm": [7, 3],
    "pow": [2.5, 3.5],
    "prod": [(2, 3, 7)],
    "remainder": [7.0, 4.0],
}


@pytest.mark.parametrize(("name", "arguments"), OTHER_ARGUMENTS.items(), ids=OTHER_ARGUMENTS)
def test_math_functions_of_other_arguments(name: str, arguments: list[Any]) -> None:
    assert static.call_math(name, arguments) == getattr(math, name)(*arguments)


@pytest.mark.parametrize("name", sorted(static.MATH_FUNCTIONS - set(OTHER_ARGUMENTS)))
def test_math_functions(name: str) -> None:
    for argument in (0.5, 1.0, 1.5, 2.0):
        try:
            expected = getattr(math, name)(argument)
        except ValueError:
            with pytest.raises(static.StaticError):
                static.call_math(name, [argument])
            continue
        assert math.isclose(static.call_math(name, [argument]), expected, rel_tol=1e-14)


EDGES: tuple[bool | int | float, ...] = (
    *(True, False, 0, 1, -1, 2, -3, 7, 170, -8, 2**53 + 1, -(2**53) - 1, 2**63 - 1, 10**30 + 7, 10**400, -(10**400)),
    *(0.0, -0.0, 0.5, -0.5, 1.5, -2.5, 0.1, 27.0, -8.0, 5e-324, -1e-310, 2.2250738585072014e-308, 1e-5, 1e22),
    *(-708.9, -745.2, -746.0, 27.2, 28.0, -170.5, -180.5, -1e15 - 0.5, 1e305, 1e308, -1e308),
    *(math.inf, -math.inf, math.nan),
)
OF_TWO = ("atan2", "comb", "copysign", "fmod", "gcd", "hypot", "isclose", "lcm", "ldexp", "log", "nextafter", "perm")
OF_TWO_TOO = ("pow", "remainder")


def check_as_python(name: str, arguments: list[Any]) -> None:
    """A value is Python's, to the digits that C libraries agree on, and where Python raises there is none."""
    try:
        expected = getattr(math, name)(*arguments)
    except (ArithmeticError, TypeError, ValueError):
        with pytest.raises(static.StaticError):
            static.call_math(name, arguments)
        return
    got: Any = static.call_math(name, arguments)
    assert type(got) is type(expected)
    exact = name in EXACT or not math.isfinite(expected)
    close = repr(got) == repr(expected) if exact else math.isclose(got, expected, rel_tol=1e-13, abs_tol=1e-323)
    assert close, (name, arguments, got, expected)
    assert not isinstance(got, float) or math.copysign(1, got) == math.copysign(1, expected), (name, arguments)


EXACT = static.MATH_FUNCTIONS - {
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2"),
    *("expm1", "gamma", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "tan", "tanh"),
}


@pytest.mark.parametrize("name", sorted(static.MATH_FUNCTIONS - {"fsum", "prod"}))
def test_math_functions_of_edges(name: str) -> None:
    for number in EDGES:
        if name not in ("factorial", "perm") or abs(number) <= 500 or isinstance(number, float):
            check_as_python(name, [number])


@pytest.mark.parametrize("name", [*OF_TWO, *OF_TWO_TOO])
def test_math_functions_of_two_edges(name: str) -> None:
    for number in EDGES:
        for other in (0, True, 2, 3, 2**53 + 1, 10**400, 0.0, -0.0, 0.5, -2.0, 10.0, math.inf, -math.inf, math.nan):
            if name not in ("comb", "perm") or isinstance(other, float) or other <= 500:
                check_as_python(name, [number, other])


def test_an_int_that_no_double_holds_is_rounded_as_python_does() -> None:
    number = 2**53 + 1
    for name in ("cos", "sin", "tan"):
        assert math.isclose(static.call_math(name, [number]), getattr(math, name)(number), rel_tol=1e-15)
    assert static.call_math("hypot", [1, number]) == 2.0**53
    assert static.call_math("log2", [2**2000]) == 2000.0  # of the int itself, which is larger than all doubles


def test_a_logarithm_to_a_base_is_the_quotient_of_two() -> None:
    assert static.call_math("log", [1000, 10]) == math.log(1000, 10) < 3.0


def test_a_subnormal_is_rounded_once() -> None:
    assert static.call_math("exp", [-708.9]) == 2721805716674725 * 2.0**-1074


@pytest.mark.parametrize(
    ("symbol", "left", "right"),
    [("**", 2, 10**9), ("<<", 1, 10**9), ("*", "ab", 10**9), ("*", (1,), 10**9), ("**", 10**1000, 10**6)],
)
def test_growth_is_refused_before_it_happens(symbol: str, left: Any, right: Any) -> None:
    with pytest.raises(static.StaticError) as caught:
        static.binary(symbol, left, right)
    assert caught.value.code == "OW311"


def test_shared_tuples_do_not_hide_their_size() -> None:
    value: tuple[Any, ...] = (1, 2)
    for _ in range(12):
        value = static.checked((value, value))
    with pytest.raises(static.StaticError):
        static.checked((value, value, value, value))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("round", [1, -(10**9)]),
        ("int", ["9" * 2000]),
        ("factorial", [10**6]),
        ("comb", [10**6, 10**5]),
        ("perm", [10**9, None]),
    ],
)
def test_builtins_stay_within_fuel(name: str, arguments: list[Any]) -> None:
    with pytest.raises(static.StaticError):
        (static.call_math if name in static.MATH_FUNCTIONS else static.call_builtin)(name, arguments)


def test_errors_of_python_become_ours() -> None:
    for step in (
        lambda: static.binary("/", 1, 0),
        lambda: static.call_math("sqrt", [-1.0]),
        lambda: static.contains("abc", 1),
        lambda: static.compare("<", "a", 1),
        lambda: static.binary("%", "%99999999d", 1),
        lambda: static.binary("**", "2", 2.0),
        lambda: static.binary("**", 2.0, "2"),
        lambda: static.binary("**", 2, None),
        lambda: static.binary("**", 2**4000, -1),
        lambda: static.binary("**", 2**4000, 0.5),
        lambda: static.call_builtin("pow", ["2", 2.0]),
        lambda: static.compare("<", None, 1),
        lambda: static.unary("~", 1.5),
        lambda: static.unary("-", "1"),
    ):
        with pytest.raises(static.StaticError) as caught:
            step()
        assert caught.value.code == "OW312"


@pytest.mark.parametrize("number", [1 << 64, -(1 << 63) - 1, 10**400])
def test_functions_of_numpy_take_no_ints_beyond_64_bits(number: int) -> None:
    for name in ("sqrt", "sin", "exp", "log2"):
        with pytest.raises(static.StaticError):
            call_numpy(name, [number], {})
    assert call_numpy("sqrt", [1 << 62], {}) == 2.0**31
