"""param.keyword_only: As in Python; so are positional-only ones."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"], /, *, alpha: float = 0.5):
    return x * alpha
