"""Parameters may have the names that methods use for their own."""

from __future__ import annotations

import numpy as np
from opwright import FLOAT, GraphBuilder, script
from opwright import opset18 as op


@script()
def shifted(self: FLOAT[...], function: FLOAT[...] | None = None, args: float = 1.0):
    if function is not None:
        self = self + function
    return op.Identity(self) * args


def test_an_input_named_self_is_given_by_name() -> None:
    x = np.ones(2, np.float32)
    assert shifted(self=x, function=x).tolist() == [2, 2]
    assert shifted(x, args=3.0).tolist() == [3, 3]
    builder = GraphBuilder(18)
    assert builder.call(shifted, self=builder.input("x", FLOAT[2])) is not None
