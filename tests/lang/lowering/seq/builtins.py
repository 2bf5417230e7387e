"""seq.builtins: `len`, `sum`, `min`, `max`, `list`, `tuple` and `reversed` of lists."""

from opwright import FLOAT, script


@script()
def F(x: FLOAT["N"]):
    parts = list(reversed((1, 2, 3)))
    return x * parts[0] + sum(parts) + min(parts) + len(parts)
