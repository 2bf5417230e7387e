"""stmt.match: Each variant has the case that fits."""

from typing import Literal

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], mode: Literal["none", "edge", "wrap"] = "none"):
    match (mode, 2):
        case ("none", _):
            return x
        case ("edge" | "wrap" as kind, n) if n > 1:
            return x * n if kind == "edge" else -x
    return x
