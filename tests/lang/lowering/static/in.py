"""static.in: Membership of a static value."""

from typing import Literal

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], mode: Literal["a", "b", "c"] = "a"):
    return -x if mode in ("a", "b") else x
