"""What Python unpacks to names, the compiler does where the items are known."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, DiagnosticError, script

from tests.functions.everywhere import same_everywhere

X = np.array([1.0, 2.0], np.float32)
SMALL = {"p": 1, "q": 2, "r": 5}


def test_ranges_texts_dictionaries_and_iterators() -> None:
    @script()
    def f(x: FLOAT["N"]):
        a, b, c = range(3)
        *first, last = range(4)
        (d, e), (g, h) = zip((1, 2), (3, 4), strict=True)
        i, j, k = reversed((1, 2, 3))
        m, n, o = SMALL.values()
        (p, q), (r, s) = {1: 2, 3: 4}.items()
        t, *u = SMALL
        v, w = "ab"
        y, z = (i * 2 for i in range(2))
        small = a + 2 * b + 3 * c + len(first) + last + d + 10 * e + 100 * g + 1000 * h + i - j * k + m + n * o
        return x * small + p * q - r * s + len(u) + len(t + v + w) + y + 7 * z

    same_everywhere(f, X)


def test_loops_over_what_is_unpacked() -> None:
    @script()
    def f(x: FLOAT["N"]):
        for (first, second), scale in (((1, 2), 3), (range(2), 4)):
            x = x * scale + first - second
        return x

    same_everywhere(f, X)


@pytest.mark.parametrize("count", [2, 4])
def test_as_many_names_as_items(count: int) -> None:
    @script()
    def f(x: FLOAT["N"]):
        a, b, c = range(count)
        return x * a + b + c

    with pytest.raises(DiagnosticError, match=f"OW328.*{count} values cannot be unpacked to 3 names"):
        f.to_model_proto(opset=18)


def test_an_iterator_that_has_a_name_is_unpacked_once() -> None:
    @script()
    def f(x: FLOAT["N"]):
        pairs = zip((1, 2), (3, 4), strict=True)
        a, b = pairs
        return x * a[0] + b[1]

    @script()
    def twice(x: FLOAT["N"]):
        pairs = zip((1, 2), (3, 4), strict=True)
        a, b = pairs
        c, d = pairs
        return x * a[0] + d[1]

    same_everywhere(f, X)
    with pytest.raises(DiagnosticError, match="OW362"):
        twice.to_model_proto(opset=18)
