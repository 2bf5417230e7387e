"""`xs + []` is another list, of however many items."""

from __future__ import annotations

import numpy as np
import pytest
from opwright import FLOAT, INT64, script
from opwright import opset18 as op

from tests.docs.running import OPSET, run_model
from tests.lang.static_text import compile_text

X = np.array([1.0, 2.0], np.float32)


@script()
def beside(x: FLOAT["N"], n: INT64):
    xs = []
    for i in range(n):
        xs.append(x * i)
    zs = xs + []  # noqa: RUF005
    zs.append(x * 50)
    return len(xs), len(zs), op.ConcatFromSequence(zs, axis=0)


def grown(ys, value):
    ys = ys + []  # noqa: RUF005
    ys.append(value)
    return ys


@script()
def in_a_helper(x: FLOAT["N"], n: INT64):
    xs = []
    for i in range(n):
        xs.append(x * i)
    zs = grown(xs, x)
    xs.append(x)
    xs.append(x)
    return len(xs), len(zs), op.ConcatFromSequence(xs, axis=0)


@pytest.mark.parametrize("opset", [13, OPSET])  # before 14 no operator copies a sequence, and a loop does
@pytest.mark.parametrize("function", [beside, in_a_helper])
def test_a_copy_grows_by_itself(function, opset: int) -> None:
    n = np.array(2)
    expected = [np.asarray(item) for item in function(X, n)]
    for found in run_model(function.to_model_proto(opset=opset), {"x": X, "n": n}).values():
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


@script()
def repeated(x: FLOAT["N"], n: INT64, k: int = 2):
    xs = [x]
    for i in range(n):
        xs.append(x * i)
    ys = 3 * xs
    zs = xs * 0
    zs.append(x)
    xs *= k
    xs.append(x * 50)
    return len(xs), len(ys), len(zs), op.ConcatFromSequence(xs + ys, axis=0)


@pytest.mark.parametrize("opset", [13, OPSET])
def test_a_list_of_the_run_time_is_repeated(opset: int) -> None:
    n = np.array(2)
    expected = [np.asarray(item) for item in repeated(X, n, k=2)]
    for found in run_model(repeated.to_model_proto(opset=opset, attributes={"k": 2}), {"x": X, "n": n}).values():
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("factor", ["n", "x", "1.5", "xs"])
def test_what_repeats_no_list(factor: str) -> None:
    body = f"def F(x, n):\n    xs = op.SplitToSequence(x)\n    return len(xs * {factor})\n"
    found = compile_text(f"from opwright import opset18 as op\n\n{body}", ("float",))
    assert [item.code for item in found] == ["OW314"]
