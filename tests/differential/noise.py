"""How far runtimes may differ: what is not exactly defined is disturbed, and what comes out of it is the tolerance.

Adding, multiplying, dividing and comparing are exact on every runtime. Exp and its kin, powers, and the order of the
terms of a sum are not. The interpreter runs a program that has such steps several times, each result of such a step
moved by a few units in the last place; the spread of the outputs bounds what a correct runtime may give.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ULPS = 16.0
FRACTION_BITS = 10


class Noise:
    """Disturbs results that are not exactly defined; without a generator it only notes that there were some."""

    def __init__(self, random: np.random.Generator | None = None) -> None:
        self.random = random
        self.inexact = False
        self.notes: set[str] = set()

    def __call__(self, array: Any) -> Any:
        """The result of a function that runtimes round in their own ways."""
        self.inexact = True
        return array if self.random is None else self._moved(array, np.abs(array))

    def note(self, text: str) -> None:
        """What happened in the run and matters to one of the runtimes."""
        self.notes.add(text)

    def sum(self, array: Any, magnitude: Any, *terms: Any) -> Any:
        """A sum whose terms may be added in any order; `magnitude` is the sum of their magnitudes.

        `terms`, where given, are the arrays whose products are summed: of short binary fractions every order gives
        the same.
        """
        if terms and _is_exact(magnitude, terms):
            return array
        self.inexact = True
        return array if self.random is None else self._moved(array, magnitude)

    def _moved(self, array: Any, magnitude: Any) -> Any:
        assert self.random is not None
        array = np.asarray(array)
        scale = np.where(np.isfinite(magnitude), magnitude, 0) * (ULPS * np.finfo(array.dtype).eps)
        with np.errstate(all="ignore"):
            return (array + self.random.uniform(-1, 1, array.shape) * scale).astype(array.dtype)


def _is_exact(magnitude: Any, terms: tuple[Any, ...]) -> bool:
    """Whether all partial sums fit the significand: every term is a multiple of 2**-FRACTION_BITS."""
    unit = 2.0 ** (FRACTION_BITS // len(terms))
    magnitude = np.asarray(magnitude)
    with np.errstate(all="ignore"):
        whole = all(np.array_equal(term * unit, np.round(term * unit)) for term in terms)
        fits = np.all(magnitude.astype(np.float64) * 2.0**FRACTION_BITS * np.finfo(magnitude.dtype).eps < 1)
    return bool(whole and fits)
