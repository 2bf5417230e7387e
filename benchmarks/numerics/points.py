"""The arrays that bodies are compared on. A seed means the same numbers on every platform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from opwright.elements import element
from opwright.graphs.ndarrays import DTYPES
from opwright_build.verify.case_model import Array
from opwright_build.verify.cases import generated
from opwright_build.verify.cases.exact_rounding import round_floats

MILLION = generated.LARGEST_SIZE  # 2**20 points
_HALF_WIDTH = 1 << 16  # patterns of a type of 16 bits


@dataclass(frozen=True, slots=True)
class Points:
    """Makes arrays of one floating-point type; each call names its seed."""

    kind: str

    def line(self, seed: int) -> Array:
        """All finite values of a type of 16 bits. Of float a million: half of them of any magnitude, half N(0, 4)."""
        if element(self.kind).bits == 16:
            patterns = np.arange(_HALF_WIDTH, dtype=np.uint16).view(DTYPES[element(self.kind)])
            finite: Array = patterns[np.isfinite(patterns)]
            return finite
        half = MILLION // 2
        return np.concatenate([self.magnitudes([half], seed), self.normal([half], seed + 1, std=4.0)])

    def magnitudes(self, shape: Sequence[int], seed: int) -> Array:
        """Values whose binary exponents are spread evenly over those of float, of either sign."""
        significands = generated.uniform(shape, seed, 1.0, 2.0)
        exponents = generated.integers(shape, seed + 1000, -149, 127)
        signs = generated.integers(shape, seed + 2000, 0, 1) * 2 - 1
        return self.rounded(np.ldexp(significands, exponents.astype(np.int64)) * signs)

    def normal(self, shape: Sequence[int], seed: int, mean: float = 0.0, std: float = 1.0) -> Array:
        return self.rounded(generated.normal(shape, seed, mean, std))

    def uniform(self, shape: Sequence[int], seed: int, low: float = 0.0, high: float = 1.0) -> Array:
        return self.rounded(generated.uniform(shape, seed, low, high))

    def integers(self, shape: Sequence[int], seed: int, low: int, high: int) -> Array:
        """int64, both ends included."""
        return generated.integers(shape, seed, low, high)

    def values(self, *numbers: float) -> Array:
        return self.rounded(np.array(numbers, dtype=np.float64))

    def scalar(self, number: float) -> Array:
        return self.rounded(np.array(number, dtype=np.float64))

    def rounded(self, numbers: Array) -> Array:
        return round_floats(numbers, element(self.kind))


def cycle(shape: Sequence[int], modulus: int) -> Array:
    """0, 1 .. modulus - 1, 0 ..; int64."""
    counted: Array = np.arange(prod(shape), dtype=np.int64) % modulus
    return counted.reshape(shape)
