"""Result types that an attribute or a sequence decides: they meet constants of the right type."""

from __future__ import annotations

import numpy as np
import pytest
from conftest_lang import Compiler, run_everywhere

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("body", "opset", "wanted"),
    [
        ("y, m, d = op.LayerNormalization(x, x[0] * 0 + 1)\n    return m * 2 + d * 0", 18, [[2], [8]]),
        ("return op.DequantizeLinear(op.Cast(x, to=2), FLOAT(0.5)) + 1", 19, X * 0.5 + 1),
        ("return op.DequantizeLinear(op.Cast(x, to=2), FLOAT(0.5)) + 1", 23, X * 0.5 + 1),
        ("return op.ConcatFromSequence([x, x], axis=0) + 1", 18, np.concatenate([X, X]) + 1),
        ("return op.SequenceAt(op.SplitToSequence(x), 0) + 1", 18, X[:1] + 1),
    ],
)
def test_the_result_meets_a_constant(compiler: Compiler, body: str, opset: int, wanted: object) -> None:
    function = compiler.function(f"def F(x):\n    {body}\n", {"x": "float"}, {"y": "float"}, opset=opset)
    for got in run_everywhere(function, {"x": X}).values():
        np.testing.assert_allclose(got[0], wanted, rtol=1e-5)
