from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pytest
from mpmath import mp
from opwright_build.verify.cases import generated
from opwright_build.verify.dtypes import array_bytes

MASK = (1 << 64) - 1


def philox(key: tuple[int, int], counter: int) -> list[int]:
    """Philox4x64 with ten rounds, from its definition (Salmon et al., SC11), in Python's integers."""
    words = [counter & MASK, counter >> 64 & MASK, 0, 0]
    first, second = key
    for _ in range(10):
        left = words[0] * 0xD2E7470EE14C6C93
        right = words[2] * 0xCA5A826395121157
        words = [right >> 64 ^ words[1] ^ first, right & MASK, left >> 64 ^ words[3] ^ second, left & MASK]
        first = (first + 0x9E3779B97F4A7C15) & MASK
        second = (second + 0xBB67AE8584CAA73B) & MASK
    return words


@pytest.mark.parametrize("seed", [0, 1, 7, 2**64 - 1])
def test_words_are_philox(seed: int) -> None:
    expected = [word for counter in range(1, 6) for word in philox((seed, 0), counter)]
    assert generated.raw_words(seed, 20).tolist() == expected
    assert generated.raw_words(seed, 7).tolist() == expected[:7]


def test_uniform_by_its_definition() -> None:
    words = generated.raw_words(3, 6).tolist()
    expected = [-2.0 + 5.0 * ((word >> 11) / 2.0**53) for word in words]
    assert generated.uniform([2, 3], 3, -2.0, 3.0).ravel().tolist() == expected


def test_integers_by_their_definition() -> None:
    words = generated.raw_words(9, 500).tolist()
    values = generated.integers([500], 9, -3, 4)
    assert values.tolist() == [-3 + word * 8 // 2**64 for word in words]
    assert set(values.tolist()) == set(range(-3, 5))
    assert generated.integers([4], 1, 0, 2**64 - 1).tolist() == generated.raw_words(1, 4).tolist()
    assert generated.integers([2, 0], 1, 5, 5).shape == (2, 0)


def test_normal_against_exact_quantiles() -> None:
    mp.dps = 40
    words = generated.raw_words(4, 400).tolist()
    values = generated.normal([400], 4).tolist()
    for word, value in zip(words, values, strict=True):
        probability = (mp.mpf(word >> 12) + mp.mpf("0.5")) / 2**52
        exact = mp.sqrt(2) * mp.erfinv(2 * probability - 1)
        assert abs(exact - value) <= 1e-14 * max(1, abs(exact))


def test_normal_in_the_tails() -> None:
    mp.dps = 40
    for probability in (2.0**-53, 1e-12, 1e-5, 0.0749, 0.0751, 0.5, 0.9249, 0.9251, 1 - 1e-9):
        value = float(generated.inverse_normal(np.array([probability]))[0])
        exact = mp.sqrt(2) * mp.erfinv(2 * mp.mpf(probability) - 1)
        assert abs(exact - value) <= 1e-14 * max(1, abs(exact))


def test_log_against_exact_values() -> None:
    mp.dps = 40
    extremes = [2.0**-53, 0.5, 0.70710678, 1.0, 1.4142135, 1e300]
    values = np.concatenate([generated.uniform([200], 5, 1e-300, 3.0), extremes])
    for value, result in zip(values.tolist(), generated.log(values).tolist(), strict=True):
        exact = mp.log(mp.mpf(value))
        assert abs(exact - result) <= 4e-16 * max(abs(exact), mp.mpf(2) ** -52)


# One bit that changes here changes the numbers behind every seed in every spec: a new definition needs a new name.
PINNED = {
    "uniform": "75b1c5e256b3196c",
    "normal": "d162629d337e8c26",
    "integers": "d804e0a4e19cb255",
    "choice": "f14316deb31eb9ba",
}


def test_bits_are_pinned() -> None:
    made = {
        "uniform": generated.uniform([1000], 42, -1.0, 3.0),
        "normal": generated.normal([1000], 42, 0.5, 2.0),
        "integers": generated.integers([1000], 42, -100, 100),
        "choice": generated.choice([1000], 42, 7),
    }
    assert {name: hashlib.sha256(array_bytes(array)).hexdigest()[:16] for name, array in made.items()} == PINNED


def test_bits_do_not_depend_on_the_processor(run_python: Callable[..., bytes]) -> None:
    script = (
        "import sys; from opwright_build.verify.cases import generated;"
        "sys.stdout.buffer.write(generated.normal([5000], 11).tobytes() + generated.uniform([5000], 11).tobytes())"
    )
    instructions = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
    plain = run_python(script, NPY_DISABLE_CPU_FEATURES=instructions)
    assert plain == generated.normal([5000], 11).tobytes() + generated.uniform([5000], 11).tobytes()


def test_statistics() -> None:
    values = generated.normal([100_000], 1, 3.0, 2.0)
    assert abs(values.mean() - 3.0) < 0.03
    assert abs(values.std() - 2.0) < 0.03
    assert abs((values > 5.0).mean() - 0.158655) < 0.005


@pytest.mark.parametrize(
    ("low", "high"), [(3, 2), (-1, 2**63), (-(2**63) - 1, 0), (0, 2**64)], ids=["empty", "both", "below", "above"]
)
def test_ranges_that_no_integer_type_holds(low: int, high: int) -> None:
    with pytest.raises(ValueError, match="`low`"):
        generated.integers([2], 0, low, high)


def test_bounds() -> None:
    with pytest.raises(ValueError, match="elements"):
        generated.uniform([generated.LARGEST_SIZE + 1], 0)
    with pytest.raises(ValueError, match="seed"):
        generated.uniform([1], 2**64)
