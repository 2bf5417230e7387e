"""Generated values: distributions with a definition of our own, so that a seed means the same numbers for ever.

numpy promises the raw words of its Philox generator and nothing of what its distributions make of them. The definitions
here use those words and operations that IEEE 754 rounds correctly (+ - * / and square root, exact scaling by powers of
two), one after the other, so that the float64 results are the same bits on every platform and with every numpy.

The words are those of Philox4x64-10 with the key (seed, 0) and the counter starting at 1, in the order in which numpy's
`Philox(key=seed).random_raw()` yields them. One word makes one value, in C order:

* uniform: low + (high - low) * u with u = (word >> 11) * 2**-53, so u in [0, 1)
* normal: mean + std * z with z = the inverse of the normal distribution at ((word >> 12) + 0.5) * 2**-52, computed by
  the rational approximations of Wichura's algorithm AS 241 (Applied Statistics 37, 1988)
* integers: low + (word * (high - low + 1) >> 64); `low` and `high` are included
* choice: values[word * len(values) >> 64]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from opwright_build.verify.case_model import Array

LARGEST_SIZE = 1 << 20  # elements of one tensor
_SEEDS = 1 << 64


def raw_words(seed: int, count: int) -> Array:
    """The first `count` words of the stream, uint64."""
    if not 0 <= seed < _SEEDS:
        raise ValueError("a seed lies in 0 .. 2**64 - 1")
    if count > LARGEST_SIZE:
        raise ValueError(f"a generated tensor has at most {LARGEST_SIZE} elements")
    # The key is given whole: a bare `seed` would pass through numpy's SeedSequence.
    bits = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64), counter=0)
    words: Array = bits.random_raw(count)
    return words


def uniform(shape: Sequence[int], seed: int, low: float = 0.0, high: float = 1.0) -> Array:
    """float64 values from `low` up to `high`, which rounding may reach."""
    fraction = (raw_words(seed, prod(shape)) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    result: Array = low + (high - low) * fraction
    return result.reshape(shape)


def normal(shape: Sequence[int], seed: int, mean: float = 0.0, std: float = 1.0) -> Array:
    """float64 values around `mean`, none further from it than 8.21 times `std`."""
    probability = ((raw_words(seed, prod(shape)) >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
    result: Array = mean + std * inverse_normal(probability)
    return result.reshape(shape)


def integers(shape: Sequence[int], seed: int, low: int, high: int) -> Array:
    """Integers from `low` to `high`, both included: int64, or uint64 where `high` exceeds it."""
    if low > high:
        raise ValueError("`low` exceeds `high`")
    if low < -(1 << 63) or high >= 1 << 64 or (low < 0 and high >= 1 << 63):
        raise ValueError("`low` and `high` fit neither int64 nor uint64")
    span = high - low + 1
    picked = [low + (word * span >> 64) for word in raw_words(seed, prod(shape)).tolist()]
    return np.array(picked, dtype=np.int64 if high < 1 << 63 else np.uint64).reshape(shape)


def choice(shape: Sequence[int], seed: int, count: int) -> Array:
    """int64 indices into `count` values."""
    return integers(shape, seed, 0, count - 1)


def inverse_normal(probability: Array) -> Array:
    """The quantiles of the standard normal distribution, for probabilities in (0, 1), to about 1e-15."""
    centred = probability - 0.5
    tail = np.where(centred < 0.0, probability, 1.0 - probability)
    near = _ratio(_CENTRE, 0.180625 - centred * centred) * centred
    root = np.sqrt(-log(tail))
    beyond = np.where(root <= 5.0, _ratio(_MIDDLE, root - 1.6), _ratio(_FAR, root - 5.0))
    result: Array = np.where(np.abs(centred) <= 0.425, near, np.where(centred < 0.0, -beyond, beyond))
    return result


def log(values: Array) -> Array:
    """The natural logarithm of positive float64 values, to about 1e-15, from + - * / alone.

    Libraries' own logarithms differ in the last bit from platform to platform. With values = m * 2**e and
    1/sqrt(2) <= m < sqrt(2) it is e * log(2) + 2 * artanh((m - 1) / (m + 1)), whose series in at most 0.1716**2
    needs eleven terms.
    """
    significand, exponent = np.frexp(values)
    low = significand < 0.7071067811865476
    significand = np.where(low, significand * 2.0, significand)
    exponent = np.where(low, exponent - 1, exponent)
    ratio = (significand - 1.0) / (significand + 1.0)
    square = ratio * ratio
    series = np.full_like(square, 1.0 / 21.0)
    for divisor in range(19, 0, -2):
        series = series * square + 1.0 / divisor
    result: Array = exponent * 0.6931471805599453 + 2.0 * (ratio * series)
    return result


_Rational = tuple[tuple[float, ...], tuple[float, ...]]


def _ratio(rational: _Rational, at: Array) -> Array:
    numerator, denominator = (_polynomial(coefficients, at) for coefficients in rational)
    return numerator / denominator


def _polynomial(coefficients: Sequence[float], at: Array) -> Array:
    """By Horner's rule, highest coefficient first."""
    total = np.full_like(at, coefficients[0])
    for coefficient in coefficients[1:]:
        total = total * at + coefficient
    return total


# The coefficients of AS 241's PPND16, highest power first: numerator, denominator.
_CENTRE: _Rational = (
    (
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.387132872796366608,
    ),
    (
        5226.495278852545925,
        28729.085735721942674,
        39307.89580009271061,
        21213.794301586595867,
        5394.1960214247511077,
        687.1870074920579083,
        42.313330701600911252,
        1.0,
    ),
)
_MIDDLE: _Rational = (
    (
        7.7454501427834140764e-4,
        2.27238449892691845833e-2,
        2.4178072517745061177e-1,
        1.27045825245236838258,
        3.64784832476320460504,
        5.7694972214606914055,
        4.6303378461565452959,
        1.42343711074968357734,
    ),
    (
        1.05075007164441684324e-9,
        5.475938084995344946e-4,
        1.51986665636164571966e-2,
        1.4810397642748007459e-1,
        6.8976733498510000455e-1,
        1.6763848301838038494,
        2.05319162663775882187,
        1.0,
    ),
)
_FAR: _Rational = (
    (
        2.01033439929228813265e-7,
        2.71155556874348757815e-5,
        1.2426609473880784386e-3,
        2.6532189526576123093e-2,
        2.9656057182850489123e-1,
        1.7848265399172913358,
        5.4637849111641143699,
        6.6579046435011037772,
    ),
    (
        2.04426310338993978564e-15,
        1.4215117583164458887e-7,
        1.8463183175100546818e-5,
        7.868691311456132591e-4,
        1.4875361290850615025e-2,
        1.3692988092273580531e-1,
        5.9983220655588793769e-1,
        1.0,
    ),
)
