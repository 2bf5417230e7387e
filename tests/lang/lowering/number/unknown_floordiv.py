"""number.unknown: `//` rounds down: `Div` rounds towards zero, and what it left decides about one less."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], n: int):
    return x + n // 2
