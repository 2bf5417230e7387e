"""stmt.assert: A static fact that must hold; it prunes variants and leaves no trace. Tensors cannot be asserted."""

from typing import Literal

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], axis: Literal[0, 1] = 0):
    assert axis in (0, 1)
    return -x
