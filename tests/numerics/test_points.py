from hashlib import sha256

import numpy as np

from benchmarks.numerics.points import MILLION, Points, cycle


def test_the_line_of_float_is_a_million_values_of_every_magnitude() -> None:
    line = Points("float").line(1)
    assert line.shape == (MILLION,)
    assert line.dtype == np.float32
    assert np.isfinite(line).all()
    _, exponents = np.frexp(line[: MILLION // 2].astype(np.float64))
    assert (exponents.min(), exponents.max()) == (-148, 128)
    assert abs(np.sign(line).mean()) < 0.01


def test_the_line_of_float16_is_each_of_its_finite_values_once() -> None:
    line = Points("float16").line(1)
    assert len(line) == 63488 == len(np.unique(line.view(np.uint16)))
    assert np.isfinite(line).all()


def test_a_seed_means_the_same_bits() -> None:
    line = Points("float").line(1).tobytes()
    assert sha256(line).hexdigest()[:16] == "efc7e71e95046cfc"
    assert line != Points("float").line(2).tobytes()


def test_a_cycle() -> None:
    assert cycle([2, 3], 4).tolist() == [[0, 1, 2], [3, 0, 1]]
